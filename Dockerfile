# The agents of this folder, ready to serve. In a project of your own, `npm run build` is not there: leave it out, and
# write node_modules/callboard/dist/src/cli/main.js for dist/src/cli/main.js.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && node dist/src/cli/main.js build
# What a project chooses for itself: the Telegram door, the queue page, traces. Here all are chosen, and the rest goes.
RUN npm pkg delete devDependencies \
	&& npm pkg set \
		dependencies.grammy=1.46.0 \
		"dependencies[@bull-board/api]=9.10.1" \
		"dependencies[@bull-board/hono]=9.10.1" \
		"dependencies[@opentelemetry/sdk-trace-node]=2.12.1" \
		"dependencies[@opentelemetry/exporter-trace-otlp-http]=0.223.1" \
		"dependencies[@opentelemetry/resources]=2.12.1" \
	&& npm install --ignore-scripts

FROM node:24-bookworm-slim
# Turns under way outlive many small collections: with more room for what is young, a turn costs a tenth less.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 CALLBOARD_DATA=/data NODE_OPTIONS=--max-semi-space-size=64
WORKDIR /app
RUN install -d -o node -g node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
	CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/cli/main.js"]
CMD ["start"]

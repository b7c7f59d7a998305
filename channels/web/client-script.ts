import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

/** Modules of the widget, each after those it imports. */
const MODULES = [
	"settings",
	"strings",
	"storage",
	"dom",
	"markdown",
	"sse",
	"wire",
	"connection",
	"conversation",
	"icons",
	"styles",
	"entry-view",
	"log-view",
	"composer",
	"outgoing-events",
	"chat-window",
	"element",
] as const;

/** A file for browsers, held in memory. */
export interface Asset {
	type: string;
	body: string;
	zipped: Uint8Array<ArrayBuffer>;
	etag: string;
}

/**
 * Joins the widget's modules into one classic script, so that `<script src>` is all a site needs: imports between them
 * fall away, and everything stays inside one function.
 * @param settings the server's settings, in place of the defaults of `settings.js`
 */
export async function clientScript(settings: unknown): Promise<Asset> {
	const sources = await Promise.all(MODULES.map((name) => readClientFile(`${name}.js`)));
	const body = sources.map(withoutModuleSyntax).join("\n");
	return asset(
		"text/javascript; charset=utf-8",
		`(() => {\n"use strict";\nconst serverSettings = ${JSON.stringify(settings).replaceAll("<", "\\u003c")};\n${body}\n})();\n`,
	);
}

/** One file of the folder `client`. */
export function readClientFile(name: string): Promise<string> {
	return readFile(new URL(`./client/${name}`, import.meta.url), "utf8");
}

export function asset(type: string, body: string): Asset {
	const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
	return { type, body, zipped: new Uint8Array(gzipSync(body)), etag };
}

/** Sends an asset; unchanged ones cost the browser one small question. */
export function serveAsset(found: Asset, request: Request): Response {
	const headers: Record<string, string> = {
		"content-type": found.type,
		"cache-control": "public, max-age=300",
		etag: found.etag,
		vary: "accept-encoding",
	};
	if (request.headers.get("if-none-match") === found.etag) return new Response(null, { status: 304, headers });
	if (!/\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")) return new Response(found.body, { headers });
	return new Response(found.zipped, { headers: { ...headers, "content-encoding": "gzip" } });
}

function withoutModuleSyntax(source: string): string {
	return source.replace(/^import [^;]*;\n/gm, "").replace(/^export (?=(?:async )?(?:function|class|const|let) )/gm, "");
}

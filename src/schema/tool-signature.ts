import type { JsonObject } from "../call/json.js";
import type { ClassReading } from "./agent-class.js";
import { docOfType, textOf } from "./docstring.js";
import type { JsonSchema } from "./json-schema.js";
import type { ToolManifest } from "./manifest.js";
import type { CompilerSymbol, Node, SignatureProject, Type } from "./signature.js";
import { described, mayBeUndefined, type TypeReader, typeSchema } from "./type-schema.js";
import { literalInitializer, type Written, writtenAt } from "./written-order.js";

const WAY_OUT = "give it a type that JSON has, or give the tool zod `params`";

interface Method {
	/** The method as the class has it, its own or inherited. */
	declared: Node;
	/** Its `@tool(…)`, or the one of the method it overrides. */
	decorator: Node;
}

/** What the manifest says of one tool: its docstring and the schema of its signature. */
export function readTool(reading: ClassReading, name: string, symbol: CompilerSymbol, method: Method): ToolManifest {
	const { project } = reading;
	const { ast, sync } = project.compiler;
	const place = ast.isMethodDeclaration(method.declared) ? method.declared.name : method.declared;
	const at = reading.at(place);
	const title = `${reading.name}.${name}`;
	const options = optionsOf(project, method.decorator);
	const doc = docOf(project, symbol, method) ?? "";
	if (doc === "" && !options.has("doc")) {
		reading.refuse(
			place,
			`tool ${title} has no docstring, and the model would not know what it is for`,
			`write /** what it does */ above ${name}`,
		);
	}
	if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
		reading.refuse(
			place,
			`tool ${title} has a name that models cannot call`,
			"begin with a letter, use letters, digits and underscores, 64 at most",
		);
	}
	if (!ast.isDecorator(method.decorator) || !ast.isCallExpression(method.decorator.expression)) {
		reading.refuse(method.decorator, `tool ${title} is marked @tool without parentheses`, "write @tool()");
	}
	if (options.has("params")) return { at, doc, order: [], pii: [] };
	const type = project.checker.getTypeOfSymbol(symbol);
	const signatures = type ? project.checker.getSignaturesOfType(type, sync.SignatureKind.Call) : [];
	const [signature] = signatures;
	if (signature === undefined || signatures.length > 1) {
		reading.refuse(place, `tool ${title} has ${signatures.length} overloads`, "write one signature");
		return { at, doc, order: [], pii: [] };
	}
	const read = readParameters(reading, title, signature.getParameters(), signature.hasRestParameter);
	checkPii(reading, title, method.decorator, read.order.length > 0 ? read.order : Object.keys(read.properties));
	return {
		at,
		doc,
		order: read.order,
		...(read.whole ? { whole: true as const } : {}),
		parameters: {
			type: "object",
			properties: read.properties,
			required: read.required,
			additionalProperties: false,
		},
		pii: Object.keys(read.properties).filter((key) => holdsPii(read.properties[key] ?? {})),
	};
}

/** The docstring of the method, else of the one it overrides. */
function docOf(project: SignatureProject, symbol: CompilerSymbol, { decorator }: Method): string | undefined {
	const own = textOf(project, symbol);
	if (own !== undefined) return own;
	const overridden = project.compiler.ast.isDecorator(decorator) ? decorator.parent : decorator;
	const name = project.compiler.ast.isMethodDeclaration(overridden) ? overridden.name : undefined;
	return textOf(project, name && project.checker.getSymbolAtLocation(name));
}

/** Names of the options given to `@tool(…)`. */
function optionsOf(project: SignatureProject, decorator: Node): ReadonlySet<string> {
	const argument = argumentOf(project, decorator);
	const type = argument && project.checker.getTypeAtLocation(argument);
	return new Set(type ? project.checker.getPropertiesOfType(type).map(({ name }) => name) : []);
}

function argumentOf({ compiler: { ast } }: SignatureProject, decorator: Node): Node | undefined {
	if (!ast.isDecorator(decorator) || !ast.isCallExpression(decorator.expression)) return undefined;
	return decorator.expression.arguments[0];
}

interface Parameters {
	properties: Record<string, JsonSchema>;
	required: string[];
	order: string[];
	/** One parameter, taken apart in the signature: it gets the whole arguments object. */
	whole: boolean;
}

function readParameters(
	reading: ClassReading,
	title: string,
	parameters: readonly CompilerSymbol[],
	rest: boolean,
): Parameters {
	const { project } = reading;
	const { ast } = project.compiler;
	const read: Parameters = { properties: {}, required: [], order: [], whole: false };
	for (const [index, parameter] of parameters.entries()) {
		const node = project.resolve(parameter.valueDeclaration);
		if (node === undefined || !ast.isParameterDeclaration(node)) continue;
		if (rest && index === parameters.length - 1) {
			reading.refuse(
				node,
				`${title}: rest parameter "${parameter.name}" has no name for each of its values`,
				"take one list parameter instead, or give the tool zod `params`",
			);
			continue;
		}
		const type = project.checker.getTypeOfSymbol(parameter);
		if (type === undefined) continue;
		if (!ast.isIdentifier(node.name)) {
			if (parameters.length === 1)
				return wholeObject(reading, title, node, type, writtenAt(project, parameter, reading.bound));
			reading.refuse(
				node,
				`${title}: parameter ${index + 1} is taken apart and has no name`,
				"give every parameter a name, or take only one object parameter",
			);
			continue;
		}
		const optional = node.questionToken !== undefined || node.initializer !== undefined;
		const reader = readerAt(reading, title, node);
		read.order.push(parameter.name);
		if (!optional && !mayBeUndefined(reader, type)) read.required.push(parameter.name);
		if (parameter.name === "__proto__") {
			reader.report(parameter.name, "has a name that no object can carry");
			continue;
		}
		if (node.type === undefined && node.initializer === undefined && !isTypedByJsDoc(reading, type)) {
			reader.report(parameter.name, "has no type");
			continue;
		}
		const written = writtenAt(project, parameter, reading.bound);
		const schema = typeSchema(reader, type, parameter.name, written);
		const fallback = literalInitializer(project, node.initializer);
		read.properties[parameter.name] = {
			...described(schema, textOf(project, parameter) ?? docOfType(project, type, written)),
			...(fallback === undefined ? {} : { default: fallback }),
		};
	}
	return read;
}

function isTypedByJsDoc({ project }: ClassReading, type: Type): boolean {
	return (type.flags & project.compiler.sync.TypeFlags.Any) === 0;
}

function readerAt({ project, refuse }: ClassReading, title: string, node: Node): TypeReader {
	return { project, report: (path, what) => refuse(node, `${title}: parameter "${path}" ${what}`, WAY_OUT) };
}

function wholeObject(
	reading: ClassReading,
	title: string,
	node: Node,
	type: Type,
	written: Written | undefined,
): Parameters {
	const reader = readerAt(reading, title, node);
	const schema = typeSchema(reader, type, "{…}", written);
	if (schema.type === "object" && schema.additionalProperties === false) {
		const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
		return { properties, required: (schema.required ?? []) as string[], order: [], whole: true };
	}
	if (schema.type !== undefined || schema.anyOf !== undefined) {
		reader.report("{…}", "is taken apart but is not one object with named members");
	}
	return { properties: {}, required: [], order: [], whole: true };
}

/** Every name in `pii: ["name"]` has to be a parameter. */
function checkPii(reading: ClassReading, title: string, decorator: Node, names: readonly string[]): void {
	const { ast } = reading.project.compiler;
	const argument = argumentOf(reading.project, decorator);
	if (argument === undefined || !ast.isObjectLiteralExpression(argument)) return;
	for (const option of argument.properties) {
		if (!ast.isPropertyAssignment(option) || option.name.getText() !== "pii") continue;
		if (!ast.isArrayLiteralExpression(option.initializer)) continue;
		for (const item of option.initializer.elements) {
			if (!ast.isStringLiteral(item) || names.includes(item.text)) continue;
			const known = names.length === 0 ? "it has no parameters" : `it has ${names.join(", ")}`;
			reading.refuse(item, `${title}: pii names "${item.text}", which is no parameter`, known);
		}
	}
}

/** Whether a value of this schema is personal, or holds one that is. */
function holdsPii(schema: JsonSchema): boolean {
	if (schema["x-pii"] === true) return true;
	return Object.values(schema).some((part) => {
		const parts = Array.isArray(part) ? part : [part];
		return parts.some(
			(inner) => typeof inner === "object" && inner !== null && !Array.isArray(inner) && holdsPii(inner),
		);
	});
}

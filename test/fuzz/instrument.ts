import { type Plugin, parseAst } from "vite";

/** What the code calls its counters; a `Uint8Array` of that name is there before it is loaded. */
export const COUNTERS = "fuzzCounters";
/** More places than any fuzzer's code has. */
export const MAX_PLACES = 4096;

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;
type Insertion = { readonly at: number; readonly text: string };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value;

/** Counts how often each branch of our own code is taken. */
export function instrumenting(): Plugin {
  let places = 0;
  const count = () => {
    places += 1;
    if (places > MAX_PLACES) throw new Error(`there are more than ${MAX_PLACES} places`);
    return `${COUNTERS}[${places - 1}]++`;
  };
  return {
    name: "instrumenting",
    enforce: "post",
    transform(code, id) {
      if (!/[\\/]src[\\/]/.test(id) || id.includes("node_modules")) return undefined;
      return { code: instrument(code, count), map: null };
    },
  };
}

function instrument(code: string, count: () => string): string {
  const begins: Insertion[] = [];
  const ends: Insertion[] = [];
  const at = (place: number, text: string) => begins.push({ at: place, text });
  /** Around a node; those within it are written first, and so end first. */
  const around = (node: Node, before: string, after: string) => {
    at(node.start, before);
    walk(node);
    ends.push({ at: node.end, text: after });
  };
  const expression = (node: Node) => around(node, `(${count()}, (`, "))");
  const statement = (node: Node) => {
    if (node.type !== "BlockStatement") return around(node, `{ ${count()}; `, " }");
    at(node.start + 1, ` ${count()};`);
    walk(node);
  };

  const part = (node: Node, name: string) => node[name] as Node;
  const walkFunction = (node: Node) => {
    const { body, ...rest } = node;
    walkAll(rest);
    if ((body as Node).type === "BlockStatement") statement(body as Node);
    else expression(body as Node);
  };
  const walkLoop = (node: Node) => {
    const { body, ...rest } = node;
    walkAll(rest);
    statement(body as Node);
  };
  const visits: Readonly<Record<string, (node: Node) => void>> = {
    FunctionDeclaration: walkFunction,
    FunctionExpression: walkFunction,
    ArrowFunctionExpression: walkFunction,
    ForStatement: walkLoop,
    ForInStatement: walkLoop,
    ForOfStatement: walkLoop,
    WhileStatement: walkLoop,
    DoWhileStatement: walkLoop,
    ConditionalExpression: (node) => {
      walk(part(node, "test"));
      expression(part(node, "consequent"));
      expression(part(node, "alternate"));
    },
    LogicalExpression: (node) => {
      walk(part(node, "left"));
      expression(part(node, "right"));
    },
    IfStatement: (node) => {
      walk(part(node, "test"));
      statement(part(node, "consequent"));
      if (node["alternate"] !== null) statement(part(node, "alternate"));
      else ends.push({ at: part(node, "consequent").end, text: ` else { ${count()}; }` });
    },
    SwitchCase: (node) => {
      const [first] = node["consequent"] as Node[];
      if (first !== undefined) at(first.start, `${count()}; `);
      walkAll(node);
    },
    CatchClause: (node) => statement(part(node, "body")),
  };
  function walk(node: Node): void {
    (visits[node.type] ?? walkAll)(node);
  }
  function walkAll(node: object): void {
    for (const child of Object.values(node)) {
      for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) walk(each);
    }
  }
  walk(parseAst(code) as unknown as Node);
  // Sorting keeps the order of what stands at one place, and what ends there comes before what begins.
  const all = [...ends, ...begins].sort((a, b) => a.at - b.at);
  let text = "";
  let done = 0;
  for (const { at: place, text: inserted } of all) {
    text += code.slice(done, place) + inserted;
    done = place;
  }
  return text + code.slice(done);
}

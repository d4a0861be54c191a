import type { Plugin } from "vite";

/**
 * Takes Node's own modules from `process.getBuiltinModule`: an import's namespace reads every export,
 * and some load much that nobody asked for (fs its streams, util its decoders, http a WebSocket client,
 * 45 ms of a start by itself). What is built has no cycle of files, so a constant does where an import
 * was.
 */
export const builtins: Plugin = {
  name: "builtins",
  apply: "build",
  renderChunk(code) {
    let text = code;
    // From the last to the first, so that places stay what they are.
    for (const node of this.parse(code).body.reverse()) {
      if (node.type !== "ImportDeclaration" || !node.source.value.startsWith("node:")) continue;
      const taken = node.specifiers.map((specifier) => {
        const { name } = specifier.local;
        if (specifier.type !== "ImportSpecifier") return { whole: name };
        const { imported } = specifier;
        const own = imported.type === "Identifier" ? imported.name : imported.value;
        return { part: own === name ? name : `${own}: ${name}` };
      });
      const module = `process.getBuiltinModule("${node.source.value}")`;
      const wholes = taken.flatMap(({ whole }) => whole ?? []);
      const parts = taken.flatMap(({ part }) => part ?? []);
      const lines = [
        ...wholes.map((name) => `const ${name} = ${module};`),
        ...(parts.length > 0 ? [`const { ${parts.join(", ")} } = ${module};`] : []),
      ];
      text = text.slice(0, node.start) + lines.join("\n") + text.slice(node.end);
    }
    return { code: text, map: null };
  },
};

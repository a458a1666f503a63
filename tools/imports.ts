import { parseSync, Visitor } from 'oxc-parser';

/** Something a module asks for from another. */
export interface Import {
  specifier: string;
  /** Counted from 1. */
  line: number;
}

/**
 * Every module that a source names: static imports and re-exports, also of types only, `import()` as a call and as a type,
 * `require()`. A name computed at run time cannot be seen.
 */
export function importsOf(fileName: string, source: string): Import[] {
  const { program, errors } = parseSync(fileName, source);
  const [error] = errors;
  if (error) throw new Error(`${fileName} cannot be parsed: ${error.message}`);
  const found: { specifier: string; offset: number }[] = [];
  const record = (node: { type: string; start: number } | null | undefined) => {
    const specifier = literalText(node);
    if (node && specifier !== undefined) found.push({ specifier, offset: node.start });
  };
  new Visitor({
    ImportDeclaration: (node) => record(node.source),
    ExportNamedDeclaration: (node) => record(node.source),
    ExportAllDeclaration: (node) => record(node.source),
    ImportExpression: (node) => record(node.source),
    TSImportType: (node) => record(node.source),
    TSExternalModuleReference: (node) => record(node.expression),
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') record(node.arguments[0]);
    },
  }).visit(program);
  return found
    .sort((a, b) => a.offset - b.offset)
    .map(({ specifier, offset }) => ({ specifier, line: source.slice(0, offset).split('\n').length }));
}

/** The text of a string, or of a template without holes. */
function literalText(node: { type: string } | null | undefined): string | undefined {
  if (node?.type === 'Literal' && 'value' in node && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral' || !('quasis' in node) || !Array.isArray(node.quasis)) return undefined;
  const [only, ...more]: { value: { cooked?: string } }[] = node.quasis;
  return more.length === 0 ? only?.value.cooked : undefined;
}

import { parseSync, Visitor } from 'oxc-parser';

/** A function with more lines than a reader keeps in mind. */
export interface LongFunction {
  name: string;
  /** Of its first line, counted from 1. */
  line: number;
  lines: number;
}

/** Functions have at most so many lines. */
export const mostLines = 60;

interface Node {
  type: string;
  start: number;
  end: number;
}

/** The functions of a source that have more than `mostLines` lines, from the first word to the closing brace. */
export function longFunctions(fileName: string, source: string): LongFunction[] {
  const { program, errors } = parseSync(fileName, source);
  const [error] = errors;
  if (error) throw new Error(`${fileName} cannot be parsed: ${error.message}`);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const names = new Map<number, string>();
  const found: LongFunction[] = [];
  /** The name of a function that is a value: that of what it is assigned to. */
  const nameValue = (target: Node, value: Node | null | undefined) => {
    if (value) names.set(value.start, source.slice(target.start, target.end).split(/[:\s]/)[0] ?? '');
  };
  const visit = ({ start, end }: Node, own?: { name: string } | null) => {
    const [from, to] = [lineAt(start), lineAt(end)];
    const name = own?.name ?? names.get(start) ?? 'a function without a name';
    if (to - from + 1 > mostLines) found.push({ name, line: from, lines: to - from + 1 });
  };
  new Visitor({
    VariableDeclarator: (node) => nameValue(node.id, node.init),
    Property: (node) => nameValue(node.key, node.value),
    MethodDefinition: (node) => nameValue(node.key, node.value),
    PropertyDefinition: (node) => nameValue(node.key, node.value),
    AssignmentExpression: (node) => nameValue(node.left, node.right),
    FunctionDeclaration: (node) => visit(node, node.id),
    FunctionExpression: (node) => visit(node, node.id),
    ArrowFunctionExpression: (node) => visit(node),
  }).visit(program);
  return found;
}

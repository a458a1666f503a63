import { type Layer, layers } from './layers.ts';

/** A package in the picture. */
export interface GraphNode {
  name: string;
  layer: Layer;
  /** The names of the packages that it imports, outside its tests. */
  imports: ReadonlySet<string>;
}

/** The packages by layer as a Mermaid flowchart, each with an arrow to those that it imports. */
export function mermaid(nodes: readonly GraphNode[]): string {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const groups = layers.flatMap((layer) => {
    const names = nodes.filter((node) => node.layer === layer).map(({ name }) => `    ${name}`);
    return names.length === 0 ? [] : [`  subgraph layer-${layer}["${layer}"]`, ...names.sort(), '  end'];
  });
  const arrows = nodes.flatMap((node) => direct(node, byName).map((target) => `  ${node.name} --> ${target}`));
  return ['```mermaid', 'flowchart BT', ...groups, ...arrows.sort(), '```'].join('\n');
}

/** What a package imports, without what it would reach through another of its imports: the picture stays readable. */
function direct(node: GraphNode, byName: ReadonlyMap<string, GraphNode>): string[] {
  return [...node.imports].filter(
    (target) => ![...node.imports].some((other) => other !== target && reaches(other, target, byName)),
  );
}

function reaches(from: string, target: string, byName: ReadonlyMap<string, GraphNode>): boolean {
  const imports = byName.get(from)?.imports ?? new Set<string>();
  return imports.has(target) || [...imports].some((next) => reaches(next, target, byName));
}

import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** Folders that import one another, and one import for each step. */
export interface FolderCycle {
  /** `packages/kube/src: meta/ → resources/ → meta/`. */
  text: string;
  /** `file:line` of one import for each arrow. */
  places: readonly string[];
}

/** For each folder that a folder beside it imports from: the place of one such import. */
type Graph = Map<string, Map<string, string>>;

/**
 * The cycles to end first, the shortest before the longer ones: one that has a step of another in it is left out, because it may
 * end with that one. Only folders with the same parent are compared: a folder and the folders inside it are one part, whatever
 * way they import. Tests do not count, because nothing imports them.
 */
export function folderCycles(files: readonly SourceFile[]): FolderCycle[] {
  const graph = folderGraph(files);
  const cycles = [...graph.keys()].sort().flatMap((folder) => {
    const cycle = shortestCycle(graph, folder);
    return cycle ? [cycle] : [];
  });
  const taken = new Set<string>();
  return cycles
    .sort((a, b) => a.length - b.length)
    .flatMap((cycle) => {
      const steps = cycle.map((from, at) => ({ from, to: cycle[(at + 1) % cycle.length] ?? '' }));
      const keys = steps.map(({ from, to }) => `${from} ${to}`);
      if (keys.some((key) => taken.has(key))) return [];
      for (const key of keys) taken.add(key);
      return [{ text: textOf(cycle), places: steps.map(({ from, to }) => graph.get(from)?.get(to) ?? '') }];
    });
}

function textOf(cycle: readonly string[]): string {
  const names = cycle.map((folder) => `${posix.basename(folder)}/`);
  return `${posix.dirname(cycle[0] ?? '')}: ${[...names, names[0]].join(' → ')}`;
}

function folderGraph(files: readonly SourceFile[]): Graph {
  const graph: Graph = new Map();
  for (const { path, imports, isTest } of files) {
    if (isTest) continue;
    for (const { specifier, line } of imports) {
      const step = specifier.startsWith('.')
        ? stepBetween(path, posix.join(posix.dirname(path), specifier))
        : undefined;
      if (!step) continue;
      const targets = graph.get(step.from) ?? new Map<string, string>();
      if (!targets.has(step.to)) targets.set(step.to, `${path}:${line}`);
      graph.set(step.from, targets);
    }
  }
  return graph;
}

/** The two folders with the same parent that an import connects; undefined if it stays in one, or starts or ends beside them. */
function stepBetween(file: string, target: string): { from: string; to: string } | undefined {
  const [from, to] = [file.split('/'), target.split('/')];
  const shared = from.findIndex((part, at) => part !== to[at]);
  const isFolder = (parts: string[]) => shared !== -1 && shared < parts.length - 1;
  if (!isFolder(from) || !isFolder(to)) return undefined;
  const folder = (parts: string[]) => `${parts.slice(0, shared + 1).join('/')}/`;
  return { from: folder(from), to: folder(to) };
}

/** The shortest way from a folder back to it, beginning with the first of its folders by name. */
function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of [...(graph.get(way.at(-1) ?? '')?.keys() ?? [])].sort()) {
      if (next === start) return rotated(way);
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

function rotated(cycle: string[]): string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

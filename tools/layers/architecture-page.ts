import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspacePackages } from '../workspace.ts';
import { type GraphNode, mermaid } from './import-graph.ts';
import { scope, table } from './layers.ts';
import { sourceFiles } from './source-files.ts';

/** The page with the picture. */
export const architecturePage = 'docs/architecture.md';
const begin = '<!-- import graph: written by `npm run generate` -->';
const end = '<!-- end of the import graph -->';

/** The page as it is and as it should be: the picture between its two marks is made from the imports of the packages. */
export function architectureText(root: string): { current: string; wanted: string } {
  const current = readFileSync(join(root, architecturePage), 'utf8');
  const [from, to] = [current.indexOf(begin), current.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${architecturePage} must have the lines ${begin} and ${end}`);
  const wanted = `${current.slice(0, from + begin.length)}\n\n${mermaid(packageGraph(root))}\n\n${current.slice(to)}`;
  return { current, wanted };
}

/** Writes the picture anew. */
export function writeArchitecture(root: string): void {
  writeFileSync(join(root, architecturePage), architectureText(root).wanted);
}

/** All packages but those of whole-system tests, which import all of them. */
function packageGraph(root: string): GraphNode[] {
  return workspacePackages(root).flatMap(({ directory, manifest }) => {
    const layer = table.find((row) => row.directory === directory)?.layer;
    if (!layer || layer === 'test') return [];
    const name = shortName(manifest.name);
    const imports = sourceFiles(root, directory)
      .filter(({ isTest }) => !isTest)
      .flatMap((file) => file.imports.filter(({ specifier }) => specifier.startsWith(scope)))
      .map(({ specifier }) => shortName(specifier));
    return [{ name, layer, imports: new Set(imports.filter((each) => each !== name)) }];
  });
}

/** `kube` of `@flotilla/kube/clock`; a package without the scope has its whole name. */
const shortName = (specifier: string): string =>
  (specifier.startsWith(scope) ? specifier.slice(scope.length) : specifier).split('/')[0] ?? '';

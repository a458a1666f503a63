import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type WorkspacePackage, workspacePackages } from '../workspace.ts';
import { brokenRule, exampleFile, type LayerRow, scope, sharedFiles, table } from './layers.ts';
import { sourceFiles } from './source-files.ts';

/** Something that breaks the layers. */
export interface Violation {
  /** Relative to the root. */
  file: string;
  line: number;
  what: string;
  rule: string;
}

interface PlacedPackage extends WorkspacePackage {
  row: LayerRow;
}

/** Checks every import and every declared dependency of the workspace. */
export function checkLayers(root: string): Violation[] {
  const violations: Violation[] = [];
  const placed = new Map<string, PlacedPackage>();
  for (const member of workspacePackages(root)) {
    const row = table.find((candidate) => candidate.directory === member.directory);
    if (row) placed.set(member.manifest.name, { ...member, row });
    else {
      const rule = 'every package has its line in the table of tools/layers/layers.ts';
      const what = `the package ${member.manifest.name} has no layer`;
      violations.push({ file: `${member.directory}/package.json`, line: 1, what, rule });
    }
  }
  for (const member of placed.values()) {
    violations.push(...checkManifest(root, member, placed), ...checkSources(root, member, placed));
  }
  return violations;
}

function checkManifest(root: string, member: PlacedPackage, placed: ReadonlyMap<string, PlacedPackage>): Violation[] {
  const file = `${member.directory}/package.json`;
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
  return kinds.flatMap((kind) =>
    Object.keys(member.manifest[kind] ?? {}).flatMap((name) => {
      if (!name.startsWith(scope)) return [];
      const to = placed.get(name);
      const line = lines.findIndex((text) => text.includes(`"${name}":`)) + 1;
      const rule = to
        ? brokenRule({ from: member.row, to: to.row, inSpec: kind === 'devDependencies' })
        : unknownPackage;
      return rule === undefined ? [] : [{ file, line, what: `declares ${name} in ${kind}`, rule }];
    }),
  );
}

const unknownPackage = `packages called ${scope}… are those of this workspace, with their line in tools/layers/layers.ts`;

function checkSources(root: string, member: PlacedPackage, placed: ReadonlyMap<string, PlacedPackage>): Violation[] {
  return sourceFiles(root, member.directory).flatMap(({ path: file, imports }) =>
    imports.flatMap(({ specifier, line }) => {
      const rule = brokenByImport({ file, specifier, member, placed });
      return rule === undefined ? [] : [{ file, line, what: `imports ${specifier}`, rule }];
    }),
  );
}

interface CheckedImport {
  file: string;
  specifier: string;
  member: PlacedPackage;
  placed: ReadonlyMap<string, PlacedPackage>;
}

function brokenByImport({ file, specifier, member, placed }: CheckedImport): string | undefined {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier);
    const inside = target === member.directory || target.startsWith(`${member.directory}/`);
    const isRunExample = member.row.layer === 'test' && exampleFile.test(target);
    if (inside || isRunExample || sharedFiles.includes(target)) return undefined;
    return 'a relative import stays within its package; another package is imported by its name';
  }
  if (/^(\/|file:|[A-Za-z]:[\\/])/.test(specifier)) return 'no import names a path of a machine';
  if (!specifier.startsWith(scope)) return undefined;
  const [shortName = '', ...rest] = specifier.slice(scope.length).split('/');
  const to = placed.get(scope + shortName);
  if (!to) return unknownPackage;
  const subPath = rest.join('/');
  const inSpec = /\.(spec|kube)\.[a-z]+$|\/fixtures\//.test(file) || exampleFile.test(file);
  const rule = brokenRule({ from: member.row, to: to.row, subPath, inSpec });
  if (rule !== undefined) return rule;
  const exported = Object.keys(to.manifest.exports ?? { '.': '' });
  if (exported.includes(subPath === '' ? '.' : `./${subPath}`)) return undefined;
  return `only what a package exports can be imported; ${scope}${shortName} exports ${exported.join(', ')}`;
}

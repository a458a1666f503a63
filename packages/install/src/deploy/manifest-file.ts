import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { KubeObject } from '@flotilla/schema';
import { stringify } from 'yaml';

/** A file of manifests, for `kubectl apply -f`. */
export interface ManifestFile {
  readonly name: string;
  /** What the objects are for, at the top of the file. */
  readonly comment: readonly string[];
  readonly objects: readonly KubeObject[];
}

const header = ['Generated from packages/install by `npm run generate`. Do not edit.'];

/** The text of a file. */
const formatManifestFile = ({ comment, objects }: ManifestFile): string =>
  [...header, ...comment].map((line) => `# ${line}\n`).join('') +
  objects.map((object) => stringify(object, { lineWidth: 120, aliasDuplicateObjects: false })).join('---\n');

/** Writes the files of a directory and removes other manifests. */
export function writeManifestFiles(directory: URL, files: readonly ManifestFile[]): void {
  mkdirSync(directory, { recursive: true });
  for (const name of manifestNames(directory)) {
    if (!files.some((file) => file.name === name)) rmSync(new URL(name, directory));
  }
  for (const file of files) writeFileSync(new URL(file.name, directory), formatManifestFile(file));
}

/** Names of files that are missing, changed, or not generated any more. */
export function staleManifestFiles(directory: URL, files: readonly ManifestFile[]): string[] {
  const texts = new Map(files.map((file) => [file.name, formatManifestFile(file)]));
  const present = manifestNames(directory);
  const changed = [...texts].filter(
    ([name, text]) => !present.includes(name) || readFileSync(new URL(name, directory), 'utf8') !== text,
  );
  return [...changed.map(([name]) => name), ...present.filter((name) => !texts.has(name))];
}

const manifestNames = (directory: URL): string[] => readdirSync(directory).filter((name) => name.endsWith('.yaml'));

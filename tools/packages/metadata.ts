import type { Manifest, WorkspacePackage } from '../workspace.ts';

/**
 * A package says on npm what it is and where it comes from. The root's package.json names the repository, and npm accepts a
 * provenance statement only from a workflow of exactly that repository.
 */
export function metadataErrors({ directory, manifest }: WorkspacePackage, root: Manifest): string[] {
  const url = root.repository?.url;
  if (!url) return ['the package.json of the root has no "repository"'];
  const home = url.replace(/^git\+/, '').replace(/\.git$/, '');
  const expected = {
    homepage: `${home}/tree/main/${directory}#readme`,
    bugs: `${home}/issues`,
    repository: { type: 'git', url, directory },
    license: root.license,
  };
  const wrong = Object.entries(expected).filter(
    ([field, value]) => JSON.stringify(manifest[field as keyof Manifest]) !== JSON.stringify(value),
  );
  const keywords = manifest.keywords ?? [];
  return [
    ...wrong.map(([field, value]) => `"${field}" in package.json must be ${JSON.stringify(value)}`),
    ...(manifest.description ? [] : ['"description" in package.json is missing']),
    ...(keywords.includes('kubernetes') && keywords.length >= 3
      ? []
      : ['"keywords" in package.json must be at least three, "kubernetes" among them']),
    ...(manifest.engines?.node ? [] : ['"engines" in package.json must name the oldest Node, as ">=22.15"']),
  ];
}

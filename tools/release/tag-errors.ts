import type { WorkspacePackage } from '../workspace.ts';

/** A tag publishes one version of all packages: the one that `nx release` wrote into every package.json and dependency. */
export function tagErrors(tag: string, packages: readonly WorkspacePackage[]): string[] {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1];
  if (version === undefined) return [`the tag ${tag} is not a version such as v0.1.0`];
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  return packages.flatMap(({ directory, manifest }) => [
    ...(manifest.version === version
      ? []
      : [`${directory}/package.json has version ${manifest.version}, not ${version}`]),
    ...Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies })
      .filter(([name, range]) => names.has(name) && range !== version)
      .map(([name, range]) => `${directory}/package.json depends on ${name} ${range}, not ${version}`),
  ]);
}

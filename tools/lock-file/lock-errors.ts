/** The fields of package-lock.json that the check reads. */
export interface LockFile {
  packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  resolved?: string;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Why `npm ci` would refuse the lock file on some machine, or depend on one registry. npm writes a lock without the native
 * packages of other platforms when the registry at hand lacks them, says nothing, and `npm ci` then fails on a fresh clone.
 */
export function lockErrors({ packages }: LockFile): string[] {
  const errors: string[] = [];
  for (const [place, { resolved, dependencies, optionalDependencies }] of Object.entries(packages)) {
    if (resolved?.includes('://')) errors.push(`${place} names a registry: ${resolved}`);
    for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      if (!isLocked(packages, place, name)) errors.push(`${name}@${range}, which ${place} depends on, is not locked`);
    }
  }
  return errors;
}

/** Whether Node would find the package from that place: beside it, or in a node_modules further up. */
function isLocked(packages: LockFile['packages'], place: string, name: string): boolean {
  const steps = place.split('/');
  const above = steps.map((_, length) => steps.slice(0, length).join('/'));
  return [place, ...above].some((directory) => `${directory}/node_modules/${name}`.replace(/^\//, '') in packages);
}

import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Where a path of a container leads by the links of this machine, such as /var/run; the last parts of it need not be there. */
export function realTarget(mountPath: string): string {
  const path = resolve('/', mountPath);
  try {
    return realpathSync(path);
  } catch {
    return path === '/' ? path : join(realTarget(dirname(path)), basename(path));
  }
}

import type { PathHandler } from '../contracts/handlers.ts';
import { notAcceptable, pathMethodNotAllowed } from '../errors/api-errors.ts';
import { negotiate } from '../requests/accept.ts';
import { kubernetesVersion } from '../schema/built-in.ts';

/** The release whose API this is, marked as ours: build metadata does not count when versions are compared. */
export const serverVersion = `${kubernetesVersion}+flotilla`;

/** `/version`. */
export function versionPath(platform: string): PathHandler {
  const body = JSON.stringify(versionInfo(platform), undefined, 2);
  return ({ path, method, headers }) => {
    if (path !== '/version' && path !== '/version/') return undefined;
    if (method !== 'GET') throw pathMethodNotAllowed();
    const { encoding, as } = negotiate(headers.accept);
    if (encoding !== 'json' || as !== 'object') throw notAcceptable(['application/json']);
    return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' }, body };
  };
}

function versionInfo(platform: string): object {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)\./.exec(kubernetesVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: serverVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'node',
    platform,
  };
}

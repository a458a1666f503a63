// For programs that a suite starts as processes: `node --import` of this file lets them import the workspace's packages by
// their names and get the sources, as the suites do by vitest's aliases. No build has to be up to date.
import { registerHooks } from 'node:module';

const packages = new URL('../../packages/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const [, name, subpath] = /^@flotilla\/([^/]+)(?:\/([^/.]+))?$/.exec(specifier) ?? [];
    if (name === undefined) return next(specifier, context);
    const file = subpath === undefined ? `${name}/src/index.ts` : `${name}/src/${subpath}/index.ts`;
    return next(new URL(file, packages).href, context);
  },
});

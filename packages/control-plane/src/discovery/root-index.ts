import type { PathHandler } from '../contracts/handlers.ts';
import type { Registry } from '../contracts/resource-info.ts';
import { apiGroups } from './documents/api-groups.ts';
import type { HealthCheck } from './health.ts';

/** Served whatever the registry holds. */
const fixedPaths = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/apis/',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/version',
];

/** `/`: every path that answers something. */
export function rootIndex(registry: Registry, endpoints: ReadonlyMap<string, readonly HealthCheck[]>): PathHandler {
  const health = [...endpoints].flatMap(([endpoint, checks]) => [
    `/${endpoint}`,
    ...checks.map(({ name }) => `/${endpoint}/${name}`),
  ]);
  return ({ path }) => {
    if (path !== '/') return undefined;
    const groups = apiGroups(registry).flatMap(({ name, versions }) => [
      ...(name === '' ? [] : [`/apis/${name}`]),
      ...versions.map(({ version }) => (name === '' ? `/api/${version}` : `/apis/${name}/${version}`)),
    ]);
    const paths = [...fixedPaths, ...groups, ...health].sort();
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: JSON.stringify({ paths }, undefined, 2),
    };
  };
}

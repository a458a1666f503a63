import type { ApiResponse } from '../contracts/exchange.ts';
import type { PathHandler } from '../contracts/handlers.ts';
import type { SigningKey } from './tokens/signing-key.ts';

const keysPath = '/openid/v1/jwks';

/** OpenID discovery, by which other services verify service account tokens: the issuer's keys and their location. */
export function issuerDiscovery(key: SigningKey, issuer: string, serverUrl: () => string): PathHandler {
  return async ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    if (path === '/.well-known/openid-configuration') {
      return cacheable('application/json', {
        issuer,
        jwks_uri: `${serverUrl()}${keysPath}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [key.algorithm],
      });
    }
    return path === keysPath ? cacheable('application/jwk-set+json', { keys: [await key.publicJwk()] }) : undefined;
  };
}

const cacheable = (contentType: string, value: object): ApiResponse => ({
  status: 200,
  headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' },
  body: JSON.stringify(value),
});

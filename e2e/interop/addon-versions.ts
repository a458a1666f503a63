import { convertObject } from '@flotilla/api-types/conversion';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { serve } from '@flotilla/process';
import { conversionRoute } from '@flotilla/process/webhooks';
import type { CustomResourceDefinition } from '@flotilla/schema/define';

/** Flotilla's kinds with add-ons in both versions. */
export interface AddOnVersions extends AsyncDisposable {
  readonly crds: readonly CustomResourceDefinition[];
}

/** Serves the conversion of add-ons, as a hub with webhooks does: OCM's programs know the older version only. */
export async function serveAddOnVersions(): Promise<AddOnVersions> {
  const authority = await createAuthority('conversion', realClock);
  const names = { usage: 'server', hosts: ['127.0.0.1'] } as const;
  const { certificate: cert, key } = await issueCertificate(authority, names, realClock);
  const routes = [conversionRoute({ path: '/convert', convert: convertObject })];
  const server = await serve({ address: { host: '127.0.0.1', port: 0 }, routes, tls: { cert, key } });
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return {
    crds: customResourceDefinitions({ url: `${server.url}/convert`, caBundle }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

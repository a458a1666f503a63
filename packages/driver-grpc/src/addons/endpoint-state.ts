import { X509Certificate } from 'node:crypto';
import { type Clock, KubeError } from '@flotilla/kube';
import { createAuthority, type KeyPair } from '@flotilla/kube/pki';
import type { DriverSecret } from '@flotilla/registration-core/contract';

/** What the kubeconfigs of add-ons rely on, over restarts of the agent: whom they trust, and where it listens. */
export interface EndpointState {
  /** Signs the certificate of the endpoint and those of add-ons. Good for nothing else. */
  readonly authority: KeyPair;
  /** 0 if it never listened. */
  readonly port: number;
}

const entries = { certificate: 'ca.crt', key: 'ca.key', port: 'port' } as const;

/** As long as a year is left, so that no certificate is cut short by it. */
const leastLifeMs = 365 * 86_400_000;

/** Reads the state, and makes an authority where there is none that can be used. */
export async function readEndpointState(secret: DriverSecret, clock: Clock): Promise<EndpointState> {
  const stored = (await secret.read()) ?? {};
  const port = Number(stored[entries.port] ?? 0);
  const pair = { certificate: stored[entries.certificate] ?? '', key: stored[entries.key] ?? '' };
  if (isUsable(pair, clock.now())) return { authority: pair, port };
  const authority = await createAuthority(`flotilla-addon-endpoint@${clock.now()}`, clock);
  await secret.write({ [entries.certificate]: authority.certificate, [entries.key]: authority.key });
  return { authority, port };
}

/** Remembers where the endpoint listens. */
export const writePort = (secret: DriverSecret, port: number): Promise<void> =>
  secret.write({ [entries.port]: String(port) });

function isUsable({ certificate, key }: KeyPair, now: number): boolean {
  if (!certificate || !key) return false;
  try {
    return new X509Certificate(certificate).validToDate.getTime() - now > leastLifeMs;
  } catch (cause) {
    throw new KubeError(
      'Config',
      `the stored ${entries.certificate} of the endpoint for add-ons is not a certificate`,
      {
        cause,
        hint: 'Delete the Secret that ends in -addon-endpoint; the add-ons get other credentials then.',
      },
    );
  }
}

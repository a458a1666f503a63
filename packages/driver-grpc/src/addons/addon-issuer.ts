import { X509Certificate } from 'node:crypto';
import { DataKey } from '@flotilla/api-types';
import { isForwardingNotServed } from '@flotilla/cloudevents';
import { type Clock, KubeError } from '@flotilla/kube';
import { certificateUser, matchesKey, readChain } from '@flotilla/registration-core/certificates';
import type {
  AddonDriverContext,
  AddonRegistration,
  CredentialIssuer,
  CredentialState,
  ObtainOutcome,
  StoredCredentials,
} from '@flotilla/registration-core/contract';
import { formatHubKubeconfig } from '@flotilla/registration-core/kube-hub';
import type { AddonEndpoint, ListeningEndpoint } from './addon-endpoint.ts';
import { forwarded, notForwarded } from './forwarding.status.ts';

/** Programs read a renewed certificate from its file; those that do not are started again within a week. */
const lifeMs = 7 * 86_400_000;
const renewBeforeMs = lifeMs / 3;
/** A server that does not forward will not soon. */
const notServedCheckMs = 5 * 60_000;
const refusedCheckMs = 30_000;

/**
 * Credentials by which an add-on reaches the API of the hub through its agent: a kubeconfig that leads to the agent, and a certificate
 * by which the agent knows the add-on. They are good for nothing else; who the add-on is on the hub is what it registered there.
 */
export function addonIssuer(
  endpoint: AddonEndpoint,
  { clock }: Pick<AddonDriverContext<unknown>, 'clock'>,
  { addonName }: AddonRegistration,
): CredentialIssuer {
  return {
    evaluate: (stored) => evaluate(stored, addonName, clock.now()),
    // The kubeconfig is among the credentials: where the hub is does not change it.
    endpointOf: () => undefined,
    describe: () => ({}),
    start({ signal }) {
      endpoint.register(addonName, signal);
      return async (stored) => {
        try {
          const listening = await endpoint.listen();
          await endpoint.probe(addonName, signal);
          return await keep(listening, stored, addonName, clock);
        } catch (error) {
          return failed(KubeError.from(error));
        }
      };
    },
  };
}

async function keep(
  listening: ListeningEndpoint,
  stored: StoredCredentials,
  addonName: string,
  clock: Clock,
): Promise<ObtainOutcome> {
  const kubeconfig = formatHubKubeconfig(listening.endpoint, certificateUser);
  const state = evaluate(stored, addonName, clock.now());
  const leftMs = state.usable ? (state.expiresAt ?? 0) - clock.now() : 0;
  const condition = forwarded(listening.endpoint.server);
  if (stored[DataKey.Kubeconfig] === kubeconfig && isIssuedBy(listening.authority, stored) && leftMs > renewBeforeMs) {
    return { kind: 'unchanged', condition, next: { afterMs: leftMs - renewBeforeMs, why: 'the certificate is due' } };
  }
  const { certificate, key } = await listening.issue(addonName, lifeMs);
  const credentials = {
    [DataKey.Kubeconfig]: kubeconfig,
    [DataKey.TlsCertificate]: certificate,
    [DataKey.TlsKey]: key,
  };
  return { kind: 'obtained', credentials, condition };
}

function failed(error: KubeError): ObtainOutcome {
  const condition = notForwarded(error);
  if (isForwardingNotServed(error)) {
    return { kind: 'waiting', why: condition.message, condition, checkAfterMs: notServedCheckMs };
  }
  if (error.code === 'Forbidden') {
    return { kind: 'waiting', why: condition.message, condition, checkAfterMs: refusedCheckMs };
  }
  return { kind: 'failed', error, condition };
}

function evaluate(stored: StoredCredentials, addonName: string, now: number): CredentialState {
  const { TlsCertificate, TlsKey } = DataKey;
  const [certificate, key] = [stored[TlsCertificate], stored[TlsKey]];
  if (!certificate || !key) {
    return { usable: false, reason: 'Missing', message: `there is no ${certificate ? TlsKey : TlsCertificate}` };
  }
  const chain = readChain(certificate);
  if (!chain || !matchesKey(chain, key)) {
    const message = `${TlsCertificate} and ${TlsKey} are not a certificate and its key`;
    return { usable: false, reason: 'Malformed', message };
  }
  if (new X509Certificate(certificate).subject !== `CN=${addonName}`) {
    return { usable: false, reason: 'OtherIdentity', message: `the certificate is not that of add-on ${addonName}` };
  }
  if (chain.notAfter < now) return { usable: false, reason: 'Expired', message: 'the certificate has ended' };
  return { usable: true, expiresAt: chain.notAfter };
}

function isIssuedBy(authority: string, stored: StoredCredentials): boolean {
  const certificate = stored[DataKey.TlsCertificate];
  return !!certificate && new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);
}

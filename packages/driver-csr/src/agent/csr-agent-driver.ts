import { DataKey, Label, LogReason, managedClusters } from '@flotilla/api-types';
import {
  backoffMs,
  type CachedResource,
  type CertificateSigningRequest,
  certificateSigningRequests,
  KubeError,
} from '@flotilla/kube';
import type {
  AddonRegistration,
  AgentDriver,
  AgentDriverContext,
  CredentialVerdict,
  DriverConnection,
  ObtainOutcome,
  StoredCredentials,
} from '@flotilla/registration-core/contract';
import { matchesKey, namesSubject, readChain } from './certificate-chain.ts';
import { createCertificateRequest, createKey } from './certificate-request.ts';
import { renewalTime } from './renewal.policy.ts';
import {
  addonTemplate,
  clusterTemplate,
  decisionOn,
  type RequestTemplate,
  signingRequest,
} from './request.template.ts';
import { notRotated, rotated } from './rotation.conditions.ts';

/** What the driver itself can be told. */
export interface CsrAgentSettings {
  /** How long a certificate should live; 0 leaves it to the signer. */
  readonly expirationSeconds: number;
}

/** More undecided requests than this, and no more are made until somebody decides. */
const mostUndecided = 10;
/** How long to respect a refusal before asking again. */
const refusalBackoff = { baseMs: 60_000, maxMs: 3_600_000 };

const syncTimeoutMs = 30_000;

interface Pending {
  readonly name: string;
  readonly key: string;
}

/** Proves an identity by client certificates that the hub issues on CertificateSigningRequests. */
class CsrAgentDriver implements AgentDriver {
  readonly #context: AgentDriverContext<unknown>;
  readonly #settings: CsrAgentSettings;
  readonly #template: RequestTemplate;
  /** The request that the hub has yet to answer, and its key, which nobody else has. */
  #pending: Pending | undefined;
  #requests: CachedResource<CertificateSigningRequest> | undefined;
  /** Drawn once per certificate. */
  #draw: { readonly certificate: string; readonly random: number } | undefined;
  #refusals = 0;
  #askAgainAt = 0;

  constructor(context: AgentDriverContext<unknown>, settings: CsrAgentSettings, template: RequestTemplate) {
    this.#context = context;
    this.#settings = settings;
    this.#template = template;
  }

  judge(stored: StoredCredentials): CredentialVerdict {
    const chain = readChain(stored[DataKey.TlsCertificate]);
    if (!stored[DataKey.TlsKey]) return unusable('NoKey', `there is no ${DataKey.TlsKey}`);
    if (!chain) return unusable('NoCertificate', `there is no certificate in ${DataKey.TlsCertificate}`);
    if (!namesSubject(chain, this.#template.subject)) {
      return unusable('OtherSubject', `the certificate is not that of ${this.#template.subject.user} in its groups`);
    }
    if (!matchesKey(chain, stored[DataKey.TlsKey])) {
      return unusable('OtherKey', `${DataKey.TlsKey} is not the key of ${DataKey.TlsCertificate}`);
    }
    if (chain.notAfter < this.#context.clock.now()) {
      return unusable('Expired', `the certificate ended at ${new Date(chain.notAfter).toISOString()}`);
    }
    return { usable: true, expiresAt: chain.notAfter };
  }

  kubeconfigUser() {
    return { 'client-certificate': DataKey.TlsCertificate, 'client-key': DataKey.TlsKey };
  }

  access(stored: StoredCredentials) {
    const certificate = stored[DataKey.TlsCertificate];
    const key = stored[DataKey.TlsKey];
    return certificate && key ? { clientCertificate: { certificate, key } } : {};
  }

  connect({ informers, signal, wake }: DriverConnection): void {
    const requests = informers.resource(certificateSigningRequests, {
      labelSelector: `${Label.ClusterName}=${this.#context.identity.clusterName}`,
    });
    const subscription = requests.changes.subscribe(({ object, initial }) => {
      if (!initial && this.#template.owns(object)) wake();
    });
    this.#requests = requests;
    signal.addEventListener('abort', () => {
      subscription.unsubscribe();
      requests.close();
      if (this.#requests === requests) this.#requests = undefined;
    });
  }

  async obtain(stored: StoredCredentials, connection: DriverConnection): Promise<ObtainOutcome> {
    if (this.#pending) return this.#collect(this.#pending, connection);
    const { clock, log } = this.#context;
    const renewAt = this.#renewAt(stored);
    if (renewAt > clock.now()) return { kind: 'unchanged', nextCheckMs: renewAt - clock.now() };
    const wait = this.#askAgainAt - clock.now();
    if (wait > 0) return { kind: 'waiting', why: 'the last request was refused', nextCheckMs: wait };
    const undecided = await this.#undecided(connection);
    if (undecided >= mostUndecided) {
      log.warn('too many requests wait on the hub', { event: LogReason.ClientCertificateCreationHalted, undecided });
      const condition = notRotated('Stop creating csr since there are too many csr created already on hub');
      return { kind: 'waiting', why: `${undecided} requests wait for a decision`, condition };
    }
    return this.#ask(connection);
  }

  decorate<T>(cluster: T): T {
    return cluster;
  }

  async checkConnection({ hub, signal }: DriverConnection): Promise<CredentialVerdict> {
    try {
      await hub.resource(managedClusters).find(this.#context.identity.clusterName, { signal });
      return { usable: true };
    } catch (error) {
      const { code, message } = KubeError.from(error);
      return unusable(code, message);
    }
  }

  fork(registration: AddonRegistration): AgentDriver {
    const template = addonTemplate(this.#context.identity, registration);
    return new CsrAgentDriver(this.#context, this.#settings, template);
  }

  #renewAt(stored: StoredCredentials): number {
    const certificate = stored[DataKey.TlsCertificate];
    const chain = readChain(certificate);
    if (!certificate || !chain || !this.judge(stored).usable) return 0;
    if (this.#draw?.certificate !== certificate) this.#draw = { certificate, random: this.#context.random() };
    return renewalTime(chain, this.#draw.random);
  }

  async #ask({ hub, signal }: DriverConnection): Promise<ObtainOutcome> {
    const key = createKey();
    try {
      const request = await createCertificateRequest(key, this.#template.subject);
      const object = signingRequest(this.#template, request, this.#settings.expirationSeconds);
      const created = await hub.resource(certificateSigningRequests).create(object, { signal });
      const name = created.metadata?.name ?? '';
      this.#pending = { name, key };
      this.#context.log.info('asked the hub for a certificate', { event: LogReason.CsrCreated, request: name });
      return { kind: 'waiting', why: `request ${name} waits for approval on the hub` };
    } catch (error) {
      const caught = KubeError.from(error);
      return { kind: 'failed', error: caught, condition: notRotated(`Failed to create CSR ${caught.message}`) };
    }
  }

  async #collect({ name, key }: Pending, { hub, signal }: DriverConnection): Promise<ObtainOutcome> {
    const request =
      this.#requests?.get(name) ?? (await hub.resource(certificateSigningRequests).find(name, { signal }));
    if (!request) return this.#giveUp(`unable to get csr "${name}". It might have already been deleted`);
    const decision = decisionOn(request);
    if (decision.kind === 'refused') return this.#respectRefusal(name, decision.message);
    if (decision.kind === 'undecided') return { kind: 'waiting', why: `request ${name} waits for approval on the hub` };
    if (decision.kind === 'approved') return { kind: 'waiting', why: `request ${name} is approved and not yet signed` };
    const chain = readChain(decision.certificate);
    if (!chain) return this.#giveUp(`no certificate can be read in csr: ${name}`);
    if (!matchesKey(chain, key)) {
      return this.#giveUp(`private key does not match with the certificate in csr: ${name}`);
    }
    this.#pending = undefined;
    this.#refusals = 0;
    this.#context.log.info('the hub issued a certificate', {
      event: LogReason.ClientCertificateCreated,
      request: name,
    });
    const credentials = { [DataKey.TlsCertificate]: decision.certificate, [DataKey.TlsKey]: key };
    return { kind: 'obtained', credentials, condition: rotated(chain) };
  }

  #giveUp(message: string): ObtainOutcome {
    this.#pending = undefined;
    const condition = notRotated(`Failed to rotated client certificate ${message}`);
    return { kind: 'failed', error: new KubeError('Unavailable', message), condition };
  }

  /** A refused request never becomes good, so it is forgotten; an admin who changes their mind is asked again, more and more rarely. */
  #respectRefusal(name: string, message: string): ObtainOutcome {
    this.#pending = undefined;
    this.#refusals += 1;
    const nextCheckMs = backoffMs(refusalBackoff, this.#refusals, this.#context.random());
    this.#askAgainAt = this.#context.clock.now() + nextCheckMs;
    const why = `request ${name} was refused on the hub (${message})`;
    this.#context.log.warn(why, { nextCheckMs });
    return { kind: 'waiting', why, condition: notRotated(why), nextCheckMs };
  }

  async #undecided({ signal }: DriverConnection): Promise<number> {
    const requests = this.#requests;
    if (!requests) return 0;
    await requests.whenSynced({ signal, timeoutMs: syncTimeoutMs });
    let count = 0;
    for (const request of requests.list()) {
      if (this.#template.owns(request) && decisionOn(request).kind === 'undecided') count += 1;
    }
    return count;
  }
}

const unusable = (reason: string, message: string): CredentialVerdict => ({ usable: false, reason, message });

/** The driver of the cluster's own agent. */
export const createCsrAgentDriver = (
  context: AgentDriverContext<unknown>,
  settings: CsrAgentSettings & { readonly signerName: string },
): AgentDriver => new CsrAgentDriver(context, settings, clusterTemplate(context.identity, settings.signerName));

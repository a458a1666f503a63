import { DataKey, Label, LogReason, managedClusters } from '@flotilla/api-types';
import {
  backoffMs,
  type CachedResource,
  type CertificateSigningRequest,
  certificateSigningRequests,
  KubeError,
} from '@flotilla/kube';
import {
  type AddonRegistration,
  type AgentDriver,
  type AgentDriverContext,
  type CredentialVerdict,
  type DriverConnection,
  notePrefix,
  type ObtainOutcome,
  type StoredCredentials,
} from '@flotilla/registration-core/contract';
import { matchesKey, namesSubject, readChain } from './certificate-chain.ts';
import { createCertificateRequest, createKey, isPrivateKey, isRequestFor, nameSuffix } from './certificate-request.ts';
import { type FirstSight, renewalTime } from './renewal.policy.ts';
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

/** The key of a request that the hub has yet to answer. Nobody else has it. */
const pendingKey = `${notePrefix}${DataKey.TlsKey}`;

/** Proves an identity by client certificates that the hub issues on CertificateSigningRequests. */
class CsrAgentDriver implements AgentDriver {
  readonly bootstrapRights = [
    {
      group: 'certificates.k8s.io',
      resource: 'certificatesigningrequests',
      verbs: ['create', 'get', 'list', 'watch'],
    },
  ];
  readonly #context: AgentDriverContext<unknown>;
  readonly #settings: CsrAgentSettings;
  readonly #template: RequestTemplate;
  /** Saves searching for the request of a key that this process made. */
  #asked: { readonly key: string; readonly name: string } | undefined;
  #requests: CachedResource<CertificateSigningRequest> | undefined;
  #firstSight: (FirstSight & { readonly certificate: string }) | undefined;
  #refusals = 0;
  #askAgainAt = 0;
  /** Of the acceptance that would outdo the last refusal. */
  #stopAwaiting = () => {};

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
    const key = stored[pendingKey];
    if (key) {
      if (!isPrivateKey(key)) return this.#giveUp(`there is no key in ${pendingKey}`);
      const name = await this.#requestOf(key, connection);
      return name === undefined ? this.#ask(key, connection) : this.#collect(name, key, connection);
    }
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
    // The key is safe before the hub sees anything of it, so that a restart at any moment costs no second request.
    return { kind: 'waiting', why: 'a request is being made', notes: { [pendingKey]: createKey() }, nextCheckMs: 0 };
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
    if (this.#firstSight?.certificate !== certificate) {
      const { clock, random } = this.#context;
      this.#firstSight = { certificate, random: random(), seenAt: clock.now() };
    }
    return renewalTime(chain, this.#firstSight);
  }

  /** The request that was made for the key, by this process or by the one before it. */
  async #requestOf(key: string, { signal }: DriverConnection): Promise<string | undefined> {
    if (this.#asked?.key === key) return this.#asked.name;
    const requests = this.#requests;
    await requests?.whenSynced({ signal, timeoutMs: syncTimeoutMs });
    for (const request of requests?.list() ?? []) {
      const name = request.metadata?.name;
      if (name === undefined || !this.#template.owns(request)) continue;
      if (!(await isRequestFor(Buffer.from(request.spec.request, 'base64').toString('utf8'), key))) continue;
      this.#asked = { key, name };
      return name;
    }
    return undefined;
  }

  async #ask(key: string, { hub, signal }: DriverConnection): Promise<ObtainOutcome> {
    const { expirationSeconds } = this.#settings;
    const pem = await createCertificateRequest(key, this.#template.subject);
    const object = signingRequest(this.#template, { pem, suffix: nameSuffix(key), expirationSeconds });
    const name = object.metadata?.name ?? '';
    try {
      await hub.resource(certificateSigningRequests).create(object, { signal });
      this.#context.log.info('asked the hub for a certificate', { event: LogReason.CsrCreated, request: name });
    } catch (error) {
      // Asked before, and the answer was lost.
      if (!KubeError.is(error, 'AlreadyExists')) {
        const caught = KubeError.from(error);
        return { kind: 'failed', error: caught, condition: notRotated(`Failed to create CSR ${caught.message}`) };
      }
    }
    this.#asked = { name, key };
    return { kind: 'waiting', why: `request ${name} waits for approval on the hub` };
  }

  async #collect(name: string, key: string, connection: DriverConnection): Promise<ObtainOutcome> {
    const { hub, signal } = connection;
    const request =
      this.#requests?.get(name) ?? (await hub.resource(certificateSigningRequests).find(name, { signal }));
    if (!request) return this.#giveUp(`unable to get csr "${name}". It might have already been deleted`);
    const decision = decisionOn(request);
    if (decision.kind === 'refused') {
      const outcome = this.#respectRefusal(name, decision.message);
      this.#awaitAcceptance(connection);
      return outcome;
    }
    if (decision.kind === 'undecided') return { kind: 'waiting', why: `request ${name} waits for approval on the hub` };
    if (decision.kind === 'approved') return { kind: 'waiting', why: `request ${name} is approved and not yet signed` };
    const chain = readChain(decision.certificate);
    if (!chain) return this.#giveUp(`no certificate can be read in csr: ${name}`);
    if (!matchesKey(chain, key)) {
      return this.#giveUp(`private key does not match with the certificate in csr: ${name}`);
    }
    this.#asked = undefined;
    this.#refusals = 0;
    this.#context.log.info('the hub issued a certificate', {
      event: LogReason.ClientCertificateCreated,
      request: name,
    });
    const credentials = { [DataKey.TlsCertificate]: decision.certificate, [DataKey.TlsKey]: key };
    return { kind: 'obtained', credentials, condition: rotated(chain) };
  }

  #giveUp(message: string): ObtainOutcome {
    this.#asked = undefined;
    const condition = notRotated(`Failed to rotated client certificate ${message}`);
    return { kind: 'failed', error: new KubeError('Unavailable', message), condition, notes: forgotten };
  }

  /** A refused request never becomes good, so it is forgotten; an admin who changes their mind is asked again, more and more rarely. */
  #respectRefusal(name: string, message: string): ObtainOutcome {
    this.#asked = undefined;
    this.#refusals += 1;
    const nextCheckMs = backoffMs(refusalBackoff, this.#refusals, this.#context.random());
    this.#askAgainAt = this.#context.clock.now() + nextCheckMs;
    const why = `request ${name} was refused on the hub (${message})`;
    this.#context.log.warn(why, { nextCheckMs });
    return { kind: 'waiting', why, condition: notRotated(why), nextCheckMs, notes: forgotten };
  }

  /**
   * Who lets the cluster in after a refusal has changed their mind: ask again at once, so that there is something to approve.
   * After a first refusal also if it is in already: whether that came before or after cannot be told.
   */
  #awaitAcceptance({ informers, signal, wake }: DriverConnection): void {
    this.#stopAwaiting();
    const { clusterName } = this.#context.identity;
    const clusters = informers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` });
    let wasRefused = this.#refusals === 1;
    const subscription = clusters.changes.subscribe(({ type, object }) => {
      const isAccepted = type !== 'deleted' && object.spec?.hubAcceptsClient === true;
      if (isAccepted && wasRefused) {
        this.#askAgainAt = 0;
        // It may be known while subscribing.
        queueMicrotask(end);
        wake();
      }
      wasRefused = !isAccepted;
    });
    const end = () => {
      signal.removeEventListener('abort', end);
      subscription.unsubscribe();
      clusters.close();
    };
    signal.addEventListener('abort', end, { once: true });
    this.#stopAwaiting = end;
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

const forgotten = { [pendingKey]: undefined };

const unusable = (reason: string, message: string): CredentialVerdict => ({ usable: false, reason, message });

/** The driver of the cluster's own agent. */
export const createCsrAgentDriver = (
  context: AgentDriverContext<unknown>,
  settings: CsrAgentSettings & { readonly signerName: string },
): AgentDriver => new CsrAgentDriver(context, settings, clusterTemplate(context.identity, settings.signerName));

import { DataKey, LogReason } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { type CertificateSigningRequest, certificateSigningRequests } from '@flotilla/kube/kinds';
import {
  type AddonDriverContext,
  type CredentialIssuer,
  type IssuerContext,
  notePrefix,
  type ObtainOutcome,
  type StoredCredentials,
} from '../contract/index.ts';
import { matchesKey, readChain } from './certificate-chain.ts';
import { createCertificateRequest, createKey, fingerprintOf, isPrivateKey } from './certificate-request.ts';
import { evaluateCertificate } from './evaluate-certificate.ts';
import { createIssueLimiter, type IssueLimiter } from './issue-limiter.ts';
import { maxUndecided, type OwnRequests, watchOwnRequests } from './own-requests.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { createRenewals } from './renewals.ts';
import { decisionOn, type RequestTemplate, requestName, signingRequest } from './request.template.ts';
import { notRotated, rotated, undecidedMessage } from './rotation.conditions.ts';

/** What certificates are issued with. */
export type CertificateContext = Pick<AddonDriverContext<unknown>, 'identity' | 'clock' | 'log' | 'random'>;

/** Which certificates to ask for. */
export interface CertificateIssuerOptions {
  readonly template: RequestTemplate;
  /** How long a certificate should live; 0 leaves it to the signer. */
  readonly expirationSeconds: number;
}

/** The key of a request that the hub has yet to answer. */
const pendingKey = `${notePrefix}${DataKey.TlsKey}`;
const withoutPending = { [pendingKey]: undefined };
/** Hubs approve renewals within seconds. */
const undecidedMs = 60_000;

/** One connection over which certificates are asked for. */
interface Asking extends CertificateIssuerOptions {
  readonly context: CertificateContext;
  readonly connection: IssuerContext;
  readonly requests: OwnRequests;
  readonly refusals: Refusals;
  readonly issues: IssueLimiter;
}

/** The request for a key that was found before. */
interface KnownRequest {
  readonly key: string;
  readonly name: string;
  readonly since: MonotonicTime;
}

/** Credentials that are client certificates, which the hub issues on CertificateSigningRequests. */
export function certificateIssuer(
  context: CertificateContext,
  options: CertificateIssuerOptions,
): Pick<CredentialIssuer, 'evaluate' | 'start'> {
  const { identity, clock, random, log } = context;
  const evaluate = (stored: StoredCredentials) => evaluateCertificate(stored, options.template.subject, clock.now());
  const renewals = createRenewals(clock, random);
  const refusals = createRefusals(identity.clusterName, clock, random);
  const issues = createIssueLimiter(clock, random);
  const made = new Set<string>();
  return {
    evaluate,
    start(connection) {
      const requests = watchOwnRequests(connection, { identity, template: options.template, made });
      const asking: Asking = { ...options, context, connection, requests, refusals, issues };
      /** Saves searching for it. */
      let known: KnownRequest | undefined;
      return async (stored) => {
        const key = stored[pendingKey];
        const isRenewal = evaluate(stored).usable;
        if (!key) {
          const renewInMs = isRenewal ? renewals.dueInMs(stored) : 0;
          const why = 'the certificate is due for renewal';
          return renewInMs > 0 ? { kind: 'unchanged', next: { afterMs: renewInMs, why } } : prepare(asking, isRenewal);
        }
        if (!isPrivateKey(key)) return giveUp(`there is no key in ${pendingKey}`);
        if (known?.key === key) return collect(known, isRenewal, asking);
        const name = await requests.nameFor(key);
        const since = clock.monotonic();
        if (name === undefined) {
          const outcome = await ask(key, isRenewal, asking);
          if (outcome.kind === 'waiting') known = { key, name: requestName(options.template, key), since };
          return outcome;
        }
        known = { key, name, since };
        requests.remember(name);
        // Who reads the log of this process compares it with the requests on the hub.
        const fingerprint = fingerprintOf(key);
        log.info('waiting for a certificate that was requested before', { request: name, fingerprint });
        return collect(known, isRenewal, asking);
      };
    },
  };
}

/** Makes a key, unless a refusal or too many requests speak against asking. */
async function prepare(
  { context: { log }, requests, refusals, issues }: Asking,
  isRenewal: boolean,
): Promise<ObtainOutcome> {
  const checkAfterMs = refusals.waitMs();
  if (checkAfterMs > 0) return { kind: 'waiting', why: 'the last request was refused', checkAfterMs };
  const issued = issues.delay();
  if (issued) return { kind: 'waiting', ...issued, condition: notRotated(issued.why) };
  const undecided = await requests.countUndecided(isRenewal);
  if (undecided >= maxUndecided) {
    log.warn('too many requests wait on the hub', { event: LogReason.ClientCertificateCreationHalted, undecided });
    const condition = notRotated('Stop creating csr since there are too many csr created already on hub');
    return { kind: 'waiting', why: `${undecided} requests wait for a decision`, condition };
  }
  // The key is stored before the hub sees anything of it, so that a restart at any moment costs no second request.
  return { kind: 'waiting', why: 'a request is being made', notes: { [pendingKey]: createKey() }, checkAfterMs: 0 };
}

/** Creates the request for a key. Its name follows from the key, so that a request whose answer was lost is not made twice. */
async function ask(key: string, isRenewal: boolean, asking: Asking): Promise<ObtainOutcome> {
  const { template, expirationSeconds, context, connection, requests } = asking;
  const pem = await createCertificateRequest(key, template.subject);
  const request = requestName(template, key);
  const object = signingRequest(template, { name: request, pem, expirationSeconds });
  try {
    await connection.hub.resource(certificateSigningRequests).create(object, { signal: connection.signal });
    const fingerprint = fingerprintOf(key);
    context.log.info('requested a certificate from the hub', { event: LogReason.CsrCreated, request, fingerprint });
  } catch (error) {
    if (!KubeError.is(error, 'AlreadyExists')) {
      const caught = KubeError.from(error);
      return { kind: 'failed', error: caught, condition: notRotated(`Failed to create CSR ${caught.message}`) };
    }
  }
  requests.remember(request);
  return { kind: 'waiting', why: waitsForApproval(request), ...(isRenewal && { checkAfterMs: undecidedMs }) };
}

/** Takes the certificate, if the hub issued one. */
async function collect(known: KnownRequest, isRenewal: boolean, asking: Asking): Promise<ObtainOutcome> {
  const { name, key } = known;
  const { requests, refusals, issues, context } = asking;
  const request = await requests.get(name);
  if (!request) return giveUp(`unable to get csr "${name}". It might have already been deleted`);
  const decision = decisionOn(request);
  if (decision.kind === 'refused') return respectRefusal(name, decision.message, asking);
  if (decision.kind === 'undecided') {
    return isRenewal ? awaitRenewal(request, known, asking) : { kind: 'waiting', why: waitsForApproval(name) };
  }
  if (decision.kind === 'approved') return { kind: 'waiting', why: `request ${name} is approved and not yet signed` };
  const chain = readChain(decision.certificate);
  if (!chain) return giveUp(`no certificate can be read in csr: ${name}`);
  if (!matchesKey(chain, key)) return giveUp(`private key does not match with the certificate in csr: ${name}`);
  refusals.clear();
  context.log.info('the hub issued a certificate', { event: LogReason.ClientCertificateCreated, request: name });
  const credentials = { [DataKey.TlsCertificate]: decision.certificate, [DataKey.TlsKey]: key };
  const early = issues.observe(chain);
  return { kind: 'obtained', credentials, condition: early === undefined ? rotated(chain) : notRotated(early) };
}

/**
 * A request for the next certificate that the hub has not decided about. One that the bootstrap user sent, while the hub did not accept the
 * certificate in use, is forgotten: it may wait for ever, and a renewal needs no administrator.
 */
async function awaitRenewal(
  request: CertificateSigningRequest,
  { name, since }: KnownRequest,
  { requests, context: { clock } }: Asking,
): Promise<ObtainOutcome> {
  if (await requests.isOfBootstrapUser(request)) {
    return {
      kind: 'waiting',
      why: `request ${name} of the bootstrap user is not needed any more`,
      notes: withoutPending,
      checkAfterMs: 0,
    };
  }
  const waitedMs = msBetween(since, clock.monotonic());
  if (waitedMs < undecidedMs) {
    return { kind: 'waiting', why: waitsForApproval(name), checkAfterMs: undecidedMs - waitedMs };
  }
  const why = undecidedMessage(request);
  return { kind: 'waiting', why, condition: notRotated(why) };
}

/** A refused request is forgotten; the next one is made later and later, or when an administrator accepts the cluster. */
function respectRefusal(name: string, message: string, { context, connection, refusals }: Asking): ObtainOutcome {
  const checkAfterMs = refusals.add(connection);
  const why = `request ${name} was refused on the hub (${message})`;
  context.log.warn(why, { checkAfterMs });
  return { kind: 'waiting', why, condition: notRotated(why), checkAfterMs, notes: withoutPending };
}

function giveUp(message: string): ObtainOutcome {
  const condition = notRotated(`Failed to rotated client certificate ${message}`);
  return { kind: 'failed', error: new KubeError('Unavailable', message), condition, notes: withoutPending };
}

const waitsForApproval = (name: string): string => `request ${name} waits for approval on the hub`;

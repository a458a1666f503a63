import { webcrypto } from 'node:crypto';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import fc from 'fast-check';

/** A certificate request before it is signed and sent, and who sends it. */
export interface Draft {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  readonly units: readonly string[];
  readonly alternativeNames: readonly { readonly type: 'dns' | 'ip' | 'email' | 'url'; readonly value: string }[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly user: string;
  readonly groups: readonly string[];
}

/** A draft that must not be approved, and what is wrong with it. */
export interface Forgery {
  readonly wrong: string;
  readonly draft: Draft;
}

const prefix = 'system:open-cluster-management:';
const common = `${prefix}managed-clusters`;
const clusterLabel = 'open-cluster-management.io/cluster-name';

/** Whom the hub of the suite accepts automatically. */
export const trustedUser = 'trusted';

/** What an agent of a cluster asks for: again, by its own name, or for the first time, by a user whom the hub trusts. */
export const genuine = (cluster: string, by: 'itself' | 'trusted user', agent = 'agent'): Draft => {
  const commonName = `${prefix}${cluster}:${agent}`;
  const organizations = [`${prefix}${cluster}`, common];
  return {
    commonNames: [commonName],
    organizations,
    units: [],
    alternativeNames: [],
    labels: { [clusterLabel]: cluster },
    annotations: {},
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['digital signature', 'key encipherment', 'client auth'],
    ...(by === 'itself' ? { user: commonName, groups: organizations } : { user: trustedUser, groups: [] }),
  };
};

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/);
const similarName = fc.constantFrom('c10', 'c', 'c1x', 'c1-', 'C1', 'c1.', 'xc1', 'c1c1');

/** Forged requests, each with what is wrong. The clusters `c1` and `c10` are accepted on the hub. */
const crimes: Readonly<Record<string, fc.Arbitrary<(draft: Draft) => Draft>>> = {
  'another common name': fc
    .oneof(name, similarName, fc.constantFrom('system:masters', 'kubernetes-admin', 'system:kube-controller-manager'))
    .map((text) => (draft) => ({ ...draft, commonNames: [text] })),
  'a common name of another cluster': similarName.map((other) => (draft) => ({
    ...draft,
    commonNames: [`${prefix}${other}:agent`],
  })),
  'a common name without an agent, or with too many parts': fc
    .constantFrom('c1', 'c1:', 'c1:a:b', ':agent', 'cluster:c1:addon:x:agent:y')
    .map((rest) => (draft) => ({ ...draft, commonNames: [`${prefix}${rest}`] })),
  'two common names': name.map((second) => (draft) => ({ ...draft, commonNames: [...draft.commonNames, second] })),
  'one organization more': fc
    .oneof(
      name,
      fc.constantFrom('system:masters', `${prefix}c10`, 'system:nodes'),
      similarName.map((other) => prefix + other),
    )
    .map((extra) => (draft) => ({ ...draft, organizations: [...draft.organizations, extra] })),
  'another organization': similarName.map((other) => (draft) => ({
    ...draft,
    organizations: [`${prefix}${other}`, common],
  })),
  'no organization of a cluster': fc.constantFrom([], [common]).map((organizations) => (draft) => ({
    ...draft,
    organizations,
  })),
  'a unit': name.map((unit) => (draft) => ({ ...draft, units: [unit] })),
  'the label of another cluster': fc.constantFrom('c10', 'c', 'c1x').map((other) => (draft) => ({
    ...draft,
    labels: { [clusterLabel]: other },
  })),
  'no label': fc.constant((draft: Draft) => ({ ...draft, labels: {} })),
  'the label of an add-on': name.map((addon) => (draft) => ({
    ...draft,
    labels: { ...draft.labels, 'open-cluster-management.io/addon-name': addon },
  })),
  'another signer': fc
    .constantFrom('kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet', 'example.com/any')
    .map((signerName) => (draft) => ({ ...draft, signerName })),
  'an alternative name': fc
    .constantFrom(
      { type: 'dns', value: 'hub.example.com' } as const,
      { type: 'ip', value: '127.0.0.1' } as const,
      { type: 'email', value: 'root@example.com' } as const,
      { type: 'url', value: 'spiffe://example.com/hub' } as const,
    )
    .map((alternative) => (draft) => ({ ...draft, alternativeNames: [alternative] })),
  'other usages': fc
    .constantFrom(
      ['digital signature', 'key encipherment', 'client auth', 'server auth'],
      ['digital signature', 'key encipherment'],
      ['digital signature', 'client auth', 'cert sign'],
      ['digital signature', 'client auth', 'any'],
    )
    .map((usages) => (draft) => ({ ...draft, usages })),
  'another sender': fc
    .constantFrom<readonly [string, readonly string[]]>(
      [`${prefix}c10:agent`, [`${prefix}c10`, common]],
      [`${prefix}c1:another`, [`${prefix}c1`, common]],
      [`${prefix}c1:agen`, [`${prefix}c1`, common]],
      [`${trustedUser}x`, []],
      ['system:serviceaccount:open-cluster-management:agent-registration-bootstrap', []],
      // The very name, without the groups that its certificate would give: it has no right to renew.
      [`${prefix}c1:agent`, [common]],
    )
    .map(([user, groups]) => (draft) => ({ ...draft, user, groups })),
  'the identity of another cluster': fc.uuid().map((uid) => (draft) => ({
    ...draft,
    annotations: { 'agent.open-cluster-management.io/cluster-identity': uid },
  })),
};

/** One that is wrong in one way or in two. With three it might be the good request of another cluster. */
export const forgery: fc.Arbitrary<Forgery> = fc
  .tuple(
    fc.constantFrom<'itself' | 'trusted user'>('itself', 'trusted user'),
    fc.uniqueArray(fc.constantFrom(...Object.keys(crimes)), { minLength: 1, maxLength: 2 }),
  )
  .chain(([by, wrong]) =>
    fc.tuple(...wrong.map((crime) => crimes[crime] ?? fc.constant((draft: Draft) => draft))).map((changes) => ({
      wrong: `${wrong.join(' and ')}, sent as by ${by}`,
      draft: changes.reduce((draft, change) => change(draft), genuine('c1', by)),
    })),
  );

/** The names of all ways. */
export const crimeNames = Object.keys(crimes);

const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);

/** The object to send. One key for all: whether it is new is not checked. */
export async function signed(draft: Draft): Promise<CertificateSigningRequest> {
  const x509 = await loadX509();
  const { alternativeNames, signerName, usages, labels, annotations } = draft;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [
      ...draft.organizations.map((organization) => ({ O: [organization] })),
      ...draft.units.map((unit) => ({ OU: [unit] })),
      ...draft.commonNames.map((commonName) => ({ CN: [commonName] })),
    ],
    keys,
    signingAlgorithm: keyAlgorithm,
    extensions: alternativeNames.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension([...alternativeNames])],
  });
  return {
    metadata: { generateName: 'c1-', labels, annotations },
    spec: { request: btoa(`${request.toString('pem')}\n`), signerName, usages: [...usages] },
  };
}

import { X509Certificate } from 'node:crypto';
import { type AccessSource, type ClusterAccess, type KubeClient, KubeError } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';

/** A user of a test hub. */
export interface TestUser {
  readonly name: string;
  readonly groups: string[];
}

/** What a suite needs of an API server: `startControlPlane` of @flotilla/control-plane gives one. */
export interface TestPlane {
  readonly client: KubeClient;
  clientOf(user: TestUser): KubeClient;
  stop(): Promise<void>;
}

/** Who access is for, as the hub would find out; undefined is answered with 401. */
export type Authenticate = (access: ClusterAccess) => TestUser | undefined;

/** A network between an agent and a hub that a test can cut. */
export interface TestWire {
  connect(access: AccessSource): Transport;
  /** Cuts the wire, or mends it. */
  setConnected(connected: boolean): void;
  /** Addresses of the hub at which nobody answers. */
  readonly deadAddresses: Set<string>;
  /** Every request from now on is answered with 401 if it comes with such access. */
  revoke(isRevoked: (access: ClusterAccess) => boolean): void;
  /** Refuses all credentials from now on but those of the bootstrap user, whatever agents get or make. */
  revokeAll(): void;
  /** Refuses the credentials that were used until now, and no others. */
  revokeUsed(): void;
  /** What the last request with other than bootstrap credentials was sent with. */
  lastAccess(): ClusterAccess | undefined;
  /** Answers of 401 and 403 so far, for tests that expect none. */
  readonly refusals: KubeError[];
}

const credentialsOf = ({ authorization, clientCertificate }: ClusterAccess): string =>
  JSON.stringify([authorization, clientCertificate?.certificate]);

/**
 * Carries requests to the plane in this process, as the user that the access stands for. As a transport does, it refreshes access that
 * the hub refuses and tries once more.
 */
export function testWire(plane: TestPlane, authenticate: Authenticate, bootstrapAuthorization: string): TestWire {
  const clients = new Map<string, KubeClient>();
  const refusals: KubeError[] = [];
  const deadAddresses = new Set<string>();
  let connected = true;
  let isRevoked: (access: ClusterAccess) => boolean = () => false;

  const clientFor = async (source: AccessSource): Promise<KubeClient> => {
    if (!connected) throw new KubeError('Unavailable', 'the wire is cut');
    const access = await source.current();
    if (deadAddresses.has(access.server)) throw new KubeError('Unavailable', `nobody answers at ${access.server}`);
    const user = isRevoked(access) ? undefined : authenticate(access);
    if (!isBootstrap(access)) {
      used.add(credentialsOf(access));
      lastAccess = access;
    }
    if (!user) throw new KubeError('Unauthorized', 'the hub does not know these credentials', { status: 401 });
    const id = JSON.stringify(user);
    const client = clients.get(id) ?? plane.clientOf(user);
    clients.set(id, client);
    return client;
  };
  const isBootstrap = ({ authorization }: ClusterAccess): boolean => authorization === bootstrapAuthorization;
  const used = new Set<string>();
  let lastAccess: ClusterAccess | undefined;
  const clientAfterRefresh = async (source: AccessSource): Promise<KubeClient> => {
    try {
      return await clientFor(source);
    } catch (error) {
      if (!KubeError.is(error, 'Unauthorized')) throw error;
      source.invalidate();
      return clientFor(source);
    }
  };
  const counted = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (KubeError.is(error, 'Unauthorized', 'Forbidden')) refusals.push(error);
      throw error;
    }
  };

  return {
    refusals,
    deadAddresses,
    lastAccess: () => lastAccess,
    setConnected(next) {
      connected = next;
    },
    revoke(next) {
      isRevoked = next;
    },
    revokeAll() {
      isRevoked = (access) => !isBootstrap(access);
    },
    revokeUsed() {
      const revoked = new Set(used);
      isRevoked = (access) => revoked.has(credentialsOf(access));
    },
    connect: (source) => ({
      request: (request) => counted(clientAfterRefresh(source).then(({ transport }) => transport.request(request))),
      stream: (request) => counted(clientAfterRefresh(source).then(({ transport }) => transport.stream(request))),
      accessChanged: source.changes,
      close: async () => {},
    }),
  };
}

/** The user of a client certificate while it lasts, as an API server reads it. */
export function certificateUser(access: ClusterAccess, now: number): TestUser | undefined {
  if (!access.clientCertificate) return undefined;
  const certificate = new X509Certificate(access.clientCertificate.certificate);
  if (now > Date.parse(certificate.validTo) || now < Date.parse(certificate.validFrom)) return undefined;
  const { CN, O }: { CN?: string | string[]; O?: string | string[] } = { ...certificate.toLegacyObject().subject };
  return { name: [CN ?? ''].flat()[0] ?? '', groups: [...[O ?? []].flat(), 'system:authenticated'] };
}

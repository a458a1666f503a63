import { X509Certificate } from 'node:crypto';
import { type AccessSource, type ClusterAccess, type KubeClient, KubeError } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
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
export interface TestNetwork {
  connect(access: AccessSource): Transport;
  /** Cuts the network, or restores it. */
  setConnected(connected: boolean): void;
  /** Addresses of the hub at which no server answers. */
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
export const testNetwork = (
  plane: TestPlane,
  authenticate: Authenticate,
  bootstrapAuthorization: string,
): TestNetwork => new Network(plane, authenticate, bootstrapAuthorization);

class Network implements TestNetwork {
  readonly refusals: KubeError[] = [];
  readonly deadAddresses = new Set<string>();
  readonly #plane: TestPlane;
  readonly #authenticate: Authenticate;
  readonly #bootstrapAuthorization: string;
  readonly #clients = new Map<string, KubeClient>();
  readonly #used = new Set<string>();
  #connected = true;
  #lastAccess: ClusterAccess | undefined;
  #isRevoked: (access: ClusterAccess) => boolean = () => false;

  constructor(plane: TestPlane, authenticate: Authenticate, bootstrapAuthorization: string) {
    this.#plane = plane;
    this.#authenticate = authenticate;
    this.#bootstrapAuthorization = bootstrapAuthorization;
  }

  lastAccess(): ClusterAccess | undefined {
    return this.#lastAccess;
  }

  setConnected(connected: boolean): void {
    this.#connected = connected;
  }

  revoke(isRevoked: (access: ClusterAccess) => boolean): void {
    this.#isRevoked = isRevoked;
  }

  revokeAll(): void {
    this.#isRevoked = (access) => !this.#isBootstrap(access);
  }

  revokeUsed(): void {
    const revoked = new Set(this.#used);
    this.#isRevoked = (access) => revoked.has(credentialsOf(access));
  }

  connect(source: AccessSource): Transport {
    return {
      request: (request) => this.#counted(this.#client(source).then(({ transport }) => transport.request(request))),
      stream: (request) => this.#counted(this.#client(source).then(({ transport }) => transport.stream(request))),
      accessChanged: source.changes,
      close: async () => {},
    };
  }

  async #client(source: AccessSource): Promise<KubeClient> {
    try {
      return await this.#clientFor(source);
    } catch (error) {
      if (!KubeError.is(error, 'Unauthorized')) throw error;
      source.invalidate();
      return this.#clientFor(source);
    }
  }

  async #clientFor(source: AccessSource): Promise<KubeClient> {
    if (!this.#connected) throw new KubeError('Unavailable', 'the network is cut');
    const access = await source.current();
    if (this.deadAddresses.has(access.server)) {
      throw new KubeError('Unavailable', `no server answers at ${access.server}`);
    }
    const user = this.#isRevoked(access) ? undefined : this.#authenticate(access);
    if (!this.#isBootstrap(access)) {
      this.#used.add(credentialsOf(access));
      this.#lastAccess = access;
    }
    if (!user) throw new KubeError('Unauthorized', 'the hub does not know these credentials', { status: 401 });
    const id = JSON.stringify(user);
    const client = this.#clients.get(id) ?? this.#plane.clientOf(user);
    this.#clients.set(id, client);
    return client;
  }

  #isBootstrap({ authorization }: ClusterAccess): boolean {
    return authorization === this.#bootstrapAuthorization;
  }

  async #counted<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (KubeError.is(error, 'Unauthorized', 'Forbidden')) this.refusals.push(error);
      throw error;
    }
  }
}

/** Sends each request over the network to where its access leads at that moment. */
export const routed =
  (networkOf: (access: AccessSource) => Promise<TestNetwork>) =>
  (access: AccessSource): Transport => {
    let isClosed = false;
    const open = async (): Promise<Transport> => {
      if (isClosed) throw new KubeError('Canceled', 'the client was closed');
      return (await networkOf(access)).connect(access);
    };
    return {
      request: async (request) => (await open()).request(request),
      stream: async (request) => (await open()).stream(request),
      accessChanged: access.changes,
      async close() {
        isClosed = true;
      },
    };
  };

/** The user of a client certificate while it lasts, as an API server reads it. */
export function certificateUser(access: ClusterAccess, now: EpochMs): TestUser | undefined {
  if (!access.clientCertificate) return undefined;
  const certificate = new X509Certificate(access.clientCertificate.certificate);
  if (now > Date.parse(certificate.validTo) || now < Date.parse(certificate.validFrom)) return undefined;
  const { CN, O }: { CN?: string | string[]; O?: string | string[] } = { ...certificate.toLegacyObject().subject };
  return { name: [CN ?? ''].flat()[0] ?? '', groups: [...[O ?? []].flat(), 'system:authenticated'] };
}

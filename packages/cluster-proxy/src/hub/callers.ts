import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type FrontProxyTrust, remoteUser } from '../identity/front-proxy.ts';
import type { HubUser } from '../member/member.ts';
import { decodeUser, userHeader } from '../tunnel/tunnel-heads.ts';

/** On whose behalf a request comes, and by whom that is said. */
export interface Caller {
  readonly user: HubUser;
  /** It comes from another replica of this server, and not from the API server. */
  readonly isReplica: boolean;
}

/** Decides who is believed about users: the front proxy of the API server, and other replicas. */
export class Callers {
  #trust: FrontProxyTrust | undefined;
  /** SHA-256 of the certificates that only replicas have: the present one and that before. */
  #replicas: string[] = [];
  /** With which trust a connection was verified. */
  readonly #verified = new WeakMap<object, FrontProxyTrust | undefined>();

  useTrust(trust: FrontProxyTrust | undefined): void {
    this.#trust = trust;
  }

  useReplica(fingerprint: string): void {
    this.#replicas = [fingerprint, ...this.#replicas.filter((known) => known !== fingerprint)].slice(0, 2);
  }

  /** Call for each new connection, when its handshake is done. */
  connected(socket: TLSSocket): void {
    if (socket.authorized) this.#verified.set(socket, this.#trust);
  }

  /** Undefined for whoever is not believed, whatever the headers say. */
  identify({ socket, headersDistinct }: IncomingMessage): Caller | undefined {
    const { subject, fingerprint256 } = (socket as TLSSocket).getPeerCertificate();
    if (fingerprint256 && this.#replicas.includes(fingerprint256)) {
      return { user: decodeUser(headersDistinct[userHeader]?.[0]), isReplica: true };
    }
    const trust = this.#trust;
    // What was verified by an authority of before is not verified by the present one.
    if (!trust || this.#verified.get(socket) !== trust) return undefined;
    const names = [subject?.CN ?? []].flat();
    if (trust.allowedNames.length > 0 && !names.some((name) => trust.allowedNames.includes(name))) return undefined;
    const user = remoteUser(trust, headersDistinct);
    return user && { user, isReplica: false };
  }
}

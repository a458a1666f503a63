import { reopenOn } from '@flotilla/kube/transport';
import { type Observable, Subject } from 'rxjs';
import type {
  AgentDriver,
  AgentIdentity,
  HubConnection,
  HubEndpoint,
  StoredConnection,
  StoredCredentials,
} from '../../contract/index.ts';
import { announcedServerKey } from '../state/secret-entries.ts';

/**
 * The hub, for other parts of the process, from the first usable credentials until the agent leaves that hub. Not from acceptance
 * until the permissions end: a removed cluster loses the permissions of registration first, and its works have yet to be deleted.
 */
export interface JoinedHub {
  readonly identity: AgentIdentity;
  /** Where the bootstrap source leads: this identifies the hub, whichever of its addresses is in use. */
  readonly server: string;
  /** Another address that the hub has announced for the time that this one does not answer. */
  readonly announced?: string;
  /**
   * The agent's own connection, whatever protocol it uses. Renewed credentials arrive in it, and watches that were forbidden are opened
   * again when the hub may have granted them. Close it when the work with this hub ends; the agent closes what is underneath.
   */
  connect(): HubConnection;
}

/** The connection of one phase. */
export interface SessionConnection extends StoredConnection {
  /** The address in use: that of the endpoint, or what the hub announced. */
  readonly server: string;
}

/** Holds the connection to one hub over all phases with it. */
export interface HubSession {
  /**
   * A connection for a new phase: over that of the phase before, with what is stored now and at the address in use, if it led to the same
   * hub.
   */
  open(endpoint: HubEndpoint, stored: StoredCredentials): SessionConnection;
  /** Gives the hub to the other parts of the process, if they do not have it. */
  handOut(): void;
  /** Opens watches again that the hub may have refused before. */
  reopen(): void;
  /** Takes the hub away from the other parts of the process, and closes the connection when they have closed theirs. */
  leave(): Promise<void>;
}

/** What a session is made of. */
export interface HubSessionOptions {
  readonly identity: AgentIdentity;
  readonly driver: Pick<AgentDriver, 'open'>;
  readonly onHub: (hub: JoinedHub | undefined) => void;
}

interface OpenHub {
  readonly server: string;
  readonly announced: string | undefined;
  readonly shared: SharedConnection;
  /** The address in use. */
  address: string;
}

/** A session without a hub. */
export function createHubSession({ identity, driver, onHub }: HubSessionOptions): HubSession {
  const reopenings = new Subject<void>();
  let current: OpenHub | undefined;
  let isOut = false;

  const leave = async (): Promise<void> => {
    if (isOut) onHub(undefined);
    isOut = false;
    const left = current;
    current = undefined;
    await left?.shared.close();
  };
  return {
    open(endpoint, stored) {
      if (current?.server !== endpoint.server) {
        void leave();
        const shared = shareConnection(driver.open(endpoint, stored), reopenings);
        const { server } = endpoint;
        current = { server, announced: stored[announcedServerKey], shared, address: server };
      } else {
        if (current.address !== stored[announcedServerKey]) current.address = endpoint.server;
        current.shared.update({ ...endpoint, server: current.address }, stored);
      }
      const hub = current;
      const { shared } = hub;
      return {
        ...shared.borrow(),
        server: hub.address,
        update(next, newest) {
          hub.address = next.server;
          shared.update(next, newest);
        },
        ...(shared.announcements && { announcements: shared.announcements }),
      };
    },
    handOut() {
      if (isOut || !current) return;
      isOut = true;
      const { server, announced, shared } = current;
      onHub({ identity, server, ...(announced && { announced }), connect: () => shared.borrow() });
    },
    reopen: () => reopenings.next(),
    leave,
  };
}

interface SharedConnection extends Pick<StoredConnection, 'update' | 'close' | 'announcements'> {
  /** The same connection for one more holder. */
  borrow(): HubConnection;
}

/** Closes a connection when all who hold it have closed theirs. */
function shareConnection(connection: StoredConnection, reopenings: Observable<void>): SharedConnection {
  const transport = reopenOn(connection.transport, reopenings);
  let holders = 0;
  const hold = (): HubConnection => {
    let isHeld = true;
    holders += 1;
    const close = async (): Promise<void> => {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      if (holders === 0) await connection.close();
    };
    return { transport: { ...transport, close }, close };
  };
  const { close } = hold();
  const { announcements } = connection;
  return {
    update: (endpoint, stored) => connection.update(endpoint, stored),
    borrow: hold,
    close,
    ...(announcements && { announcements }),
  };
}

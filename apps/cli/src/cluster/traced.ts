import { type Clock, createKubeClient, KubeError } from '@flotilla/kube';
import type { KubeRequest } from '@flotilla/kube/transport';
import type { CliContext, Connection, Connector } from '../context.ts';

/** From this level of `-v` on, kubectl writes a line about each request. */
const requestLevel = 6;

/** A connector whose connections write each request with its outcome to standard error, while `level` asks for it. */
export function tracedConnector(
  connector: Connector,
  { err, clock }: { readonly err: CliContext['err']; readonly clock: Clock },
  level: () => number,
): Connector {
  const traced = (connection: Connection): Connection =>
    level() < requestLevel ? connection : withTrace(connection, { err, clock });
  return {
    toCluster: async (choice) => traced(await connector.toCluster(choice)),
    toServer: async (access) => traced(await connector.toServer(access)),
  };
}

function withTrace(connection: Connection, { err, clock }: { err: CliContext['err']; clock: Clock }): Connection {
  const { transport } = connection.client;
  const { server } = connection.access;
  const follow = async <T extends { status: number }>({ method, path }: KubeRequest, send: () => Promise<T>) => {
    const started = clock.monotonic();
    const write = (outcome: string | number) =>
      err.write(`${method} ${server}${path} ${outcome} in ${Math.round(clock.monotonic() - started)} ms\n`);
    try {
      const answer = await send();
      write(answer.status);
      return answer;
    } catch (error) {
      write(KubeError.from(error).message);
      throw error;
    }
  };
  return {
    access: connection.access,
    client: createKubeClient({
      transport: {
        request: (request) => follow(request, () => transport.request(request)),
        stream: (request) => follow(request, () => transport.stream(request)),
        accessChanged: transport.accessChanged,
        close: () => transport.close(),
      },
    }),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

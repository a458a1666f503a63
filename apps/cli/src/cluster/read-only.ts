import { createKubeClient, type KubeClient } from '@flotilla/kube';
import type { KubeRequest } from '@flotilla/kube/transport';
import type { ClusterChoice, Connection, Connector } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** Asking who someone is and what they may do is a POST that changes nothing. */
const reviews = /^\/apis\/(authorization|authentication)\.k8s\.io\/v1\/[a-z]+$/;

const isRead = ({ method, path, body }: KubeRequest): boolean => {
  if (method === 'GET' || method === 'HEAD') return true;
  const { pathname, searchParams } = new URL(path, 'https://server');
  if (method === 'POST' && reviews.test(pathname)) return true;
  return searchParams.get('dryRun') === 'All' || (method === 'DELETE' && isDryDelete(body));
};

/** Deletions have their options in the body. */
const isDryDelete = (body: KubeRequest['body']): boolean =>
  typeof body === 'string' && JSON.parse(body).dryRun?.[0] === 'All';

/** A client that sends no request that could change something. */
function readOnlyClient({ transport }: KubeClient): KubeClient {
  const checked = (request: KubeRequest): KubeRequest => {
    if (isRead(request)) return request;
    throw new CliError(
      'usage',
      `--dry-run, and ${request.method} ${request.path} would change something`,
      'Nothing was changed. This command does that without --dry-run.',
    );
  };
  return createKubeClient({
    transport: {
      request: async (request) => transport.request(checked(request)),
      stream: async (request) => transport.stream(checked(request)),
      accessChanged: transport.accessChanged,
      close: () => transport.close(),
    },
  });
}

/** A connector whose connections change nothing while `isDryRun` says so: the one place that makes a dry run one. */
export function guardedConnector(connector: Connector, isDryRun: () => boolean): Connector {
  const guarded = (connection: Connection): Connection =>
    isDryRun()
      ? {
          client: readOnlyClient(connection.client),
          access: connection.access,
          [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
        }
      : connection;
  return {
    toCluster: async (choice: ClusterChoice) => guarded(await connector.toCluster(choice)),
    toServer: async (access) => guarded(await connector.toServer(access)),
  };
}

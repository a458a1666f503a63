import { CliError } from '../errors/cli-error.ts';

/** Refuses an address that cannot be a gRPC server's; `flag` is what names it. */
export function checkGrpcServer(server: string | undefined, flag = '--grpc-server'): string {
  if (!server) {
    throw new CliError(
      'usage',
      'grpc-server is required when registration-auth type is grpc',
      'Use the command that `flotilla get token` prints on the hub.',
    );
  }
  const url = server.includes('://') ? undefined : URL.parse(`https://${server}`);
  if (url && url.pathname === '/' && url.search === '' && url.username === '') {
    return url.port === '' && !server.endsWith(':443') ? `${server}:443` : server;
  }
  throw new CliError('usage', `${flag} ${server} is not host:port`, 'Leave out https:// and anything after the port.');
}

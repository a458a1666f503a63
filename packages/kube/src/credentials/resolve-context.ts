import { KubeError } from '../errors/kube-error.ts';
import type { ClusterAccess, Impersonation } from './access.ts';
import type { Fields } from './fields.ts';
import { checkCertificates, checkKeyPair } from './key-pair.ts';
import type { Kubeconfig, KubeconfigEntry } from './kubeconfig.ts';

/** What the paths in a kubeconfig refer to: files beside it, or keys of the Secret that holds it. */
export interface ReferencedFiles {
  read(reference: string, kubeconfigFile: string): Promise<string>;
}

/** Obtains credentials for a user whose kubeconfig says `exec`. */
export type ExecResolver = (
  exec: Fields,
  context: { access: ClusterAccess; kubeconfigFile: string; clusterExtension: unknown },
) => Promise<Pick<ClusterAccess, 'authorization' | 'clientCertificate' | 'expiresAt'>>;

interface ResolveOptions {
  /** Instead of the current context. */
  context?: string | undefined;
  files: ReferencedFiles;
  /** Without it, `exec` is refused. */
  exec?: ExecResolver | undefined;
}

/** Turns a context of a kubeconfig into access. Errors name the file, the entry and the field. */
export async function resolveContext(
  config: Kubeconfig,
  { context, files, exec }: ResolveOptions,
): Promise<ClusterAccess> {
  const name = context ?? config.currentContext;
  const where = config.files.join(', ');
  if (name === undefined) {
    throw new KubeError('Config', `${where} has no current-context`, {
      hint: `Choose one with \`kubectl config use-context\`${known(config.contexts)}.`,
    });
  }
  const chosen = entryOf(config.contexts, name, `context "${name}"`, where);
  const clusterName = chosen.fields.required('cluster');
  const cluster = entryOf(config.clusters, clusterName, `cluster "${clusterName}" of context "${name}"`, where);
  const userName = chosen.fields.text('user');
  const user =
    userName === undefined
      ? undefined
      : entryOf(config.users, userName, `user "${userName}" of context "${name}"`, where);
  const access = await clusterPart(cluster, clusterName, `${chosen.file} (context "${name}")`, files);
  if (!user) return access;
  Object.assign(access, await userPart(user, files), impersonationPart(user.fields));
  if (user.fields.has('exec')) {
    if (!exec)
      throw user.fields.wrong('exec', 'is not allowed here', 'Put a token or a client certificate there instead.');
    const { file: kubeconfigFile } = user;
    const clusterExtension = execExtension(cluster.fields);
    Object.assign(access, await exec(user.fields.object('exec'), { access, kubeconfigFile, clusterExtension }));
  }
  return access;
}

function entryOf(
  entries: ReadonlyMap<string, KubeconfigEntry>,
  name: string,
  what: string,
  where: string,
): KubeconfigEntry {
  const entry = entries.get(name);
  if (entry) return entry;
  throw new KubeError('Config', `${where}: there is no ${what}`, { hint: `Correct the name${known(entries)}.` });
}

const known = (entries: ReadonlyMap<string, unknown>): string =>
  entries.size === 0 ? '; the file has none' : `; the file has ${[...entries.keys()].join(', ')}`;

async function clusterPart(
  { fields, file }: KubeconfigEntry,
  clusterName: string,
  origin: string,
  files: ReferencedFiles,
): Promise<ClusterAccess> {
  const server = fields.required('server');
  const url = URL.parse(server);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw fields.wrong('server', 'is not a URL', 'The form is https://host:port.');
  }
  const ca = await pemOf(fields, 'certificate-authority', file, files);
  const insecure = fields.flag('insecure-skip-tls-verify');
  if (insecure && ca !== undefined) {
    throw fields.wrong('insecure-skip-tls-verify', 'is set together with a CA', 'Keep the CA and remove the flag.');
  }
  if (ca !== undefined) checkCertificates(ca, `certificate-authority of ${fields.where}`);
  const tlsServerName = fields.text('tls-server-name');
  const proxyUrl = fields.text('proxy-url');
  return {
    server,
    clusterName,
    origin,
    ...(ca !== undefined && { ca }),
    ...(insecure && { insecureSkipTlsVerify: true }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
}

async function userPart(
  { fields, file }: KubeconfigEntry,
  files: ReferencedFiles,
): Promise<Pick<ClusterAccess, 'authorization' | 'clientCertificate'>> {
  if (fields.has('auth-provider')) {
    throw fields.wrong(
      'auth-provider',
      'is not supported',
      'Use an exec plugin instead, for example kubelogin or gke-gcloud-auth-plugin.',
    );
  }
  const authorization = await authorizationOf(fields, file, files);
  const certificate = await pemOf(fields, 'client-certificate', file, files);
  const key = await pemOf(fields, 'client-key', file, files);
  if (certificate === undefined && key === undefined) return authorization === undefined ? {} : { authorization };
  if (certificate === undefined) throw fields.wrong('client-certificate', 'is missing beside client-key');
  if (key === undefined) throw fields.wrong('client-key', 'is missing beside client-certificate');
  const clientCertificate = { certificate, key };
  checkKeyPair(clientCertificate, fields.where);
  return { clientCertificate, ...(authorization !== undefined && { authorization }) };
}

async function authorizationOf(fields: Fields, file: string, files: ReferencedFiles): Promise<string | undefined> {
  const username = fields.text('username');
  const tokenFile = fields.text('tokenFile');
  // A token file is rotated, so it is newer than a token beside it.
  const token = tokenFile === undefined ? fields.text('token') : (await files.read(tokenFile, file)).trim();
  if (token === undefined) {
    if (username === undefined) return undefined;
    return `Basic ${Buffer.from(`${username}:${fields.text('password') ?? ''}`).toString('base64')}`;
  }
  if (username !== undefined) throw fields.wrong('username', 'is set together with a token', 'Keep one of the two.');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw fields.wrong(
      tokenFile === undefined ? 'token' : 'tokenFile',
      'holds no token',
      'A token is one word of printable characters.',
    );
  }
  return `Bearer ${token}`;
}

function impersonationPart(fields: Fields): { impersonate?: Impersonation } {
  const user = fields.text('as');
  const uid = fields.text('as-uid');
  const groups = fields.texts('as-groups');
  const extraFields = fields.object('as-user-extra');
  const extra = Object.fromEntries(extraFields.names().map((key) => [key, extraFields.texts(key)]));
  const hasExtra = Object.keys(extra).length > 0;
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && !hasExtra) return {};
    throw fields.wrong('as', 'is missing beside as-uid, as-groups or as-user-extra');
  }
  return {
    impersonate: {
      user,
      ...(uid !== undefined && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(hasExtra && { extra }),
    },
  };
}

/** `x-data`, or the file that `x` names; the data wins, as in kubectl. */
async function pemOf(fields: Fields, field: string, file: string, files: ReferencedFiles): Promise<string | undefined> {
  const inline = fields.decoded(`${field}-data`);
  if (inline !== undefined) return inline;
  const reference = fields.text(field);
  return reference === undefined ? undefined : files.read(reference, file);
}

/** The part of a cluster that is meant for exec plugins. */
function execExtension(cluster: Fields): unknown {
  const extension = cluster
    .objects('extensions')
    .find((item) => item.text('name') === 'client.authentication.k8s.io/exec');
  return extension?.raw('extension');
}

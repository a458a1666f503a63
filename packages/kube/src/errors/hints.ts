import { type KubeErrorCode, kubeErrorCodes } from './codes.ts';

const deniedResource =
  /User "([^"]+)" cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/;
const deniedPath = /User "([^"]+)" cannot (\S+) path "([^"]+)"/;

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** What to do about a 403, in terms of the user, verb and resource that the server named. */
function forbiddenHint(message: string): string | undefined {
  const resource = deniedResource.exec(message);
  if (resource) {
    const [, user = '', verb = '', fullName = '', group = '', namespace] = resource;
    const [plural = '', subresource] = fullName.split('/');
    const target = group === '' ? plural : `${plural}.${group}`;
    const scope = namespace === undefined ? '--all-namespaces' : `-n ${shellWord(namespace)}`;
    const sub = subresource === undefined ? '' : ` --subresource=${subresource}`;
    const role = namespace === undefined ? 'ClusterRole' : `Role in namespace ${namespace}`;
    const granted = subresource === undefined ? target : `${target} (${fullName})`;
    return `Check with \`kubectl auth can-i ${verb} ${target}${sub} ${scope} --as=${shellWord(user)}\`, then bind ${user} to a ${role} with the verb ${verb} on ${granted}.`;
  }
  const path = deniedPath.exec(message);
  if (path) {
    const [, user = '', verb = '', url = ''] = path;
    return `Check with \`kubectl auth can-i ${verb} ${shellWord(url)} --as=${shellWord(user)}\`, then bind ${user} to a ClusterRole with nonResourceURLs ${url}.`;
  }
  return undefined;
}

/** The hint of an error from the server: specific where its message allows, the code's own otherwise. */
export function hintFor(code: KubeErrorCode, message: string): string {
  if (code === 'Forbidden') {
    if (/is being terminated|NamespaceTerminating/.test(message)) {
      return 'The namespace is being deleted: wait until it is gone, then create it and the object again.';
    }
    return forbiddenHint(message) ?? kubeErrorCodes.Forbidden.hint;
  }
  return kubeErrorCodes[code].hint;
}

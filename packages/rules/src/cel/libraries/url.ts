import { failure, type Library } from './library.ts';

/** A URL, or the path of one, as Kubernetes takes both. */
class CelUrl {
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string[]>>;

  constructor(url: URL, text: string, isPath: boolean) {
    this.scheme = isPath ? '' : url.protocol.slice(0, -1);
    this.host = isPath ? '' : url.host;
    this.hostname = isPath ? '' : url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.port = isPath ? '' : url.port;
    // The standard resolves dots and adds a slash; Go takes paths as they are.
    const [, path = ''] = /^(?:[^/?#]*:\/\/[^/?#]*)?([^?#]*)/.exec(text) ?? [];
    this.path = path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, encodeURIComponent);
    const names = [...new Set(url.searchParams.keys())];
    this.query = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  }
}

function parse(text: string): CelUrl | undefined {
  if (text.startsWith('/')) {
    const url = URL.parse(text, 'http://none');
    return url ? new CelUrl(url, text, true) : undefined;
  }
  const url = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text) ? URL.parse(text) : null;
  return url ? new CelUrl(url, text, false) : undefined;
}

/** Kubernetes' functions on URLs. */
export const registerUrl: Library = (environment) => {
  const type = 'kubernetes.URL';
  environment
    .registerType(type, CelUrl)
    .registerFunction('isURL(string): bool', (text: string) => parse(text) !== undefined)
    .registerFunction(`url(string): ${type}`, (text: string) => {
      const url = parse(text);
      if (!url) throw failure(`URL parse error during conversion from string: ${JSON.stringify(text)}`);
      return url;
    })
    .registerFunction(`${type}.getScheme(): string`, (url: CelUrl) => url.scheme)
    .registerFunction(`${type}.getHost(): string`, (url: CelUrl) => url.host)
    .registerFunction(`${type}.getHostname(): string`, (url: CelUrl) => url.hostname)
    .registerFunction(`${type}.getPort(): string`, (url: CelUrl) => url.port)
    .registerFunction(`${type}.getEscapedPath(): string`, (url: CelUrl) => url.path)
    .registerFunction(`${type}.getQuery(): map<string, list<string>>`, (url: CelUrl) => url.query);
};

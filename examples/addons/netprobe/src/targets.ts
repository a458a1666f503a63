/** An address whose reachability is measured. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, several separated by commas. */
export function parseTargets(text: string): Target[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.map((part) => {
    const [, host, digits] = /^(.+):(\d+)$/.exec(part) ?? [];
    const port = Number(digits);
    if (host !== undefined && port > 0 && port < 65_536) return { host: host.replace(/^\[|\]$/g, ''), port };
    throw new Error(`variable TARGETS: "${part}" is not of the form host:port, such as example.com:443`);
  });
}

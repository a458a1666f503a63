const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates in a PEM text, each with its first and last line, without what stands between them. */
export const certificateBlocks = (pem: string): string[] => pem.match(certificateBlock) ?? [];

/** One block of PEM: its type, and its bytes in base64. */
export interface PemBlock {
  readonly type: string;
  readonly body: string;
}

/** The first block in a text, without its headers, as Go's `pem.Decode` finds it; undefined if there is none. */
export function firstPemBlock(text: string): PemBlock | undefined {
  const [, type, body] = anyBlock.exec(text) ?? [];
  return type === undefined || body === undefined ? undefined : { type, body };
}

const anyBlock = /-----BEGIN ([A-Z ]+)-----\r?\n(?:[A-Za-z-]+:.*\r?\n)*([A-Za-z0-9+/=\s]+)-----END \1-----/;

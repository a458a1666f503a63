import { KubeError } from '../errors/kube-error.ts';

/** Reads fields of decoded YAML or JSON, and says where the wrong one stands. Values are never shown: they may be secrets. */
export class Fields {
  /** What it is and where, for messages: `user "admin" in /root/.kube/config`. */
  readonly where: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(where: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new KubeError('Config', `${where} must be an object`);
    }
    this.where = where;
    this.#values = Object.fromEntries(Object.entries(value));
  }

  /** A text; undefined if it is absent or empty, which kubeconfigs do not distinguish. */
  text(field: string): string | undefined {
    const value = this.#values[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.wrong(field, 'must be a string');
    return value;
  }

  required(field: string): string {
    const value = this.text(field);
    if (value === undefined) throw this.wrong(field, 'is missing');
    return value;
  }

  flag(field: string): boolean {
    const value = this.#values[field] ?? false;
    if (typeof value !== 'boolean') throw this.wrong(field, 'must be true or false');
    return value;
  }

  texts(field: string): string[] {
    const value: unknown = this.#values[field] ?? [];
    if (!Array.isArray(value)) throw this.wrong(field, 'must be a list of strings');
    return value.map((item: unknown) => {
      if (typeof item !== 'string') throw this.wrong(field, 'must be a list of strings');
      return item;
    });
  }

  objects(field: string): Fields[] {
    const value: unknown = this.#values[field] ?? [];
    if (!Array.isArray(value)) throw this.wrong(field, 'must be a list');
    return value.map((item: unknown, index) => new Fields(`${field}[${index}] in ${this.where}`, item));
  }

  /** A nested object; empty if it is absent. `where`: how messages call it. */
  object(field: string, where = `${field} of ${this.where}`): Fields {
    return new Fields(where, this.#values[field] ?? {});
  }

  has(field: string): boolean {
    return this.#values[field] !== undefined && this.#values[field] !== null;
  }

  names(): string[] {
    return Object.keys(this.#values);
  }

  /** As it is, for what is passed on unread. */
  raw(field: string): unknown {
    return this.#values[field];
  }

  /** Base64, decoded to text. */
  decoded(field: string): string | undefined {
    const value = this.text(field)?.replace(/\s/g, '');
    if (value === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value)) throw this.wrong(field, 'must be base64');
    return Buffer.from(value, 'base64').toString('utf8');
  }

  wrong(field: string, message: string, hint?: string): KubeError {
    return new KubeError('Config', `${this.where}: ${field} ${message}`, hint === undefined ? {} : { hint });
  }
}

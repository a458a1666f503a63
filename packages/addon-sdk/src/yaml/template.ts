import { isRecord } from '@flotilla/schema';
import { nearestName } from './nearest-name.ts';

/** What a template may do with a value: `{{ name | base64 }}`. */
export type TemplateHelper = (value: unknown) => unknown;

/** Where a template is, for errors. */
export interface TemplateSource {
  /** The file. */
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly helpers: Readonly<Record<string, TemplateHelper>>;
}

/** `{{ path.to.value }}`, `{{ value? }}`, `{{ value | helper }}`. */
const placeholder = /\{\{([^{}]*)\}\}/g;
const expression = /^\s*([A-Za-z_]\w*(?:\.\w+)*)(\?)?\s*((?:\|\s*\w+\s*)*)$/;
/** A placeholder as plain text, which YAML reads as a string wherever it stands. */
const token = /flotilla-value-(\d+)-end/g;

/**
 * Fills the placeholders of a parsed document. Values are put into the tree and not into the text: quotes, colons and new lines in a
 * value cannot change the document, and a value that stands alone keeps its type.
 */
export class Template {
  readonly #expressions: string[] = [];
  readonly #source: TemplateSource;

  constructor(source: TemplateSource) {
    this.#source = source;
  }

  /** The text with placeholders that YAML can read. */
  protect(text: string): string {
    return text.replace(placeholder, (_, inner: string) => {
      this.#expressions.push(inner);
      return `flotilla-value-${this.#expressions.length - 1}-end`;
    });
  }

  /** A parsed document with values. `path` is where in the document it stands. */
  fill(node: unknown, path: string): unknown {
    if (typeof node === 'string') return this.#text(node, path);
    if (Array.isArray(node)) {
      return node.map((item, index) => this.fill(item, `${path}[${index}]`)).filter((item) => item !== undefined);
    }
    return isRecord(node) ? this.#record(node, path) : node;
  }

  #record(node: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> {
    const filled: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      const at = path ? `${path}.${key}` : key;
      const content = this.fill(value, at);
      // `<<: {{ pod }}` adds the fields of an object.
      if (key === '<<') {
        if (content !== undefined && !isRecord(content))
          throw this.#error(at, `is not an object, so that it has no fields to add`);
        Object.assign(filled, content);
      } else if (content !== undefined) filled[String(this.#text(key, at))] = content;
    }
    return filled;
  }

  #text(text: string, path: string): unknown {
    const whole = /^flotilla-value-(\d+)-end$/.exec(text);
    if (whole) return this.#value(Number(whole[1]), path);
    return text.replace(token, (_, index: string) => {
      const value = this.#value(Number(index), path);
      if (typeof value === 'object' && value !== null) {
        throw this.#error(path, 'puts an object into a text; let the placeholder stand alone, or use | json');
      }
      return String(value ?? '');
    });
  }

  #value(index: number, path: string): unknown {
    const inner = this.#expressions[index] ?? '';
    const [, name = '', optional, filters = ''] = expression.exec(inner) ?? [];
    if (!name)
      throw this.#error(path, `has the placeholder {{${inner}}}; write {{ name }}, {{ name? }} or {{ name | helper }}`);
    let value: unknown = this.#source.values;
    for (const part of name.split('.')) value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    if (value === undefined) {
      if (optional) return undefined;
      throw this.#error(
        path,
        `needs the value ${name}, which is not given${nearestName(name, Object.keys(this.#source.values))}; write {{ ${name}? }} if it may be absent`,
      );
    }
    for (const filter of filters
      .split('|')
      .map((part) => part.trim())
      .filter(Boolean)) {
      const helper = this.#source.helpers[filter];
      if (!helper)
        throw this.#error(
          path,
          `uses the helper ${filter}, which does not exist${nearestName(filter, Object.keys(this.#source.helpers))}`,
        );
      value = helper(value);
    }
    return value;
  }

  #error(path: string, message: string): TypeError {
    return new TypeError(`${this.#source.file}: ${path || 'the document'} ${message}`);
  }
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { fromYaml, renderText } from './from-yaml.ts';

const render = (text: string, values: Record<string, unknown> = {}) => renderText(text, 'agent.yaml', values);

describe('a template', () => {
  it.each<[string, string, Record<string, unknown>, unknown]>([
    ['fills a text', 'a: x-{{ name }}-{{name}}', { name: 'b' }, { a: 'x-b-b' }],
    [
      'keeps the type of a value that stands alone',
      'a: {{ n }}\nb: "{{ list }}"',
      { n: 3, list: [1, 2] },
      { a: 3, b: [1, 2] },
    ],
    ['cannot be broken by a value', 'a: {{ text }}', { text: '"\n- x: [}' }, { a: '"\n- x: [}' }],
    ['follows a path', 'a: {{ pod.image }}', { pod: { image: 'i' } }, { a: 'i' }],
    ['leaves out what may be absent', 'a: {{ none? }}\nb: 1\nc:\n- {{ none? }}\n- 2', {}, { b: 1, c: [2] }],
    [
      'adds the fields of an object',
      'spec:\n  <<: {{ pod }}\n  x: 1',
      { pod: { nodeSelector: { a: 'b' } } },
      { spec: { nodeSelector: { a: 'b' }, x: 1 } },
    ],
    ['fills keys', '{{ key }}: 1', { key: 'k' }, { k: 1 }],
    [
      'uses helpers',
      'a: {{ text | base64 }}\nb: x{{ object | json }}',
      { text: 'hi', object: { c: 1 } },
      { a: 'aGk=', b: 'x{"c":1}' },
    ],
  ])('%s', (_, text, values, expected) => {
    expect(render(text, values)).toEqual([expected]);
  });

  it.each<[string, string, string]>([
    [
      'of a value that is not given',
      'spec:\n  image: {{ imag }}',
      'agent.yaml: spec.image needs the value imag, which is not given (did you mean image?); write {{ imag? }} if it may be absent',
    ],
    [
      'of a helper that does not exist',
      'a: {{ image | base46 }}',
      'agent.yaml: a uses the helper base46, which does not exist (did you mean base64?)',
    ],
    [
      'of an object in a text',
      'a: x-{{ object }}',
      'agent.yaml: a puts an object into a text; let the placeholder stand alone, or use | json',
    ],
    [
      'of an expression',
      'a: {{ if x }}',
      'agent.yaml: a has the placeholder {{ if x }}; write {{ name }}, {{ name? }} or {{ name | helper }}',
    ],
    [
      'of a text whose fields are to be added',
      'a:\n  <<: {{ image }}',
      'agent.yaml: a.<< is not an object, so that it has no fields to add',
    ],
    ['of a document that is a list', '- a', 'agent.yaml: a document is ["a"]; it must be an object'],
  ])('names the file and the field %s', (_, text, message) => {
    expect(() => render(text, { image: 'i', object: {} })).toThrow(message);
  });

  it('names the file and the line of a syntax error', () => {
    expect(() => render('a: [1,\nb')).toThrow(/^agent\.yaml: .*line 2/s);
  });
});

it('a directory gives all documents of its files in order, without empty ones', async () => {
  await using directory = await temporaryDirectory();
  await directory.write('b.yaml', 'kind: B1\n---\n---\nkind: B2\n');
  await directory.write('a.yml', '# nothing\n');
  await directory.write('sub/c.json', '{"kind": "{{ kind }}"}');
  await directory.write('README.md', 'kind: X');
  const kinds = (await fromYaml(pathToFileURL(`${directory.path}/`), { kind: 'C' })).map(({ kind }) => kind);
  expect(kinds).toEqual(['B1', 'B2', 'C']);
  await expect(fromYaml(join(directory.path, 'absent'))).rejects.toThrow('absent');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isExempt, proxyFromEnvironment } from './proxy-for.ts';

describe('NO_PROXY', () => {
  it.each<[string, string, number, boolean]>([
    ['', 'hub.example', 443, false],
    ['*', 'hub.example', 443, true],
    ['a, *', 'hub.example', 443, true],
    ['example', 'hub.example', 443, true],
    ['example', 'example', 443, true],
    ['.example', 'hub.example', 443, true],
    ['.example', 'example', 443, false],
    ['*.example', 'hub.example', 443, true],
    ['*.example', 'example', 443, false],
    ['example', 'notexample', 443, false],
    ['HUB.Example', 'hub.example', 443, true],
    ['hub.example:443', 'hub.example', 443, true],
    ['hub.example:8443', 'hub.example', 443, false],
    ['10.0.0.0/8', '10.1.2.3', 443, true],
    ['10.0.0.0/8', '11.1.2.3', 443, false],
    ['10.0.0.0/8', 'ten.example', 443, false],
    ['10.1.2.3', '10.1.2.3', 443, true],
    ['10.1.2.3:80', '10.1.2.3', 443, false],
    ['fd00::/8', 'fd00::1', 443, true],
    ['fd00:0:0::1', 'fd00::1', 443, true],
    ['[fd00::1]:443', 'fd00::1', 443, true],
    ['[fd00::1]:80', 'fd00::1', 443, false],
    ['10.0.0.0/99,:80,,hub.example', 'hub.example', 443, true],
  ])('%j for %s:%i is %s', (noProxy, host, port, exempt) => {
    expect(isExempt(noProxy, host, port)).toBe(exempt);
  });

  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

  it('never throws, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.oneof(domain, fc.ipV4(), fc.ipV6()),
        (noProxy, host) => typeof isExempt(noProxy, host, 443) === 'boolean',
      ),
    );
  });

  it('exempts a domain and its subdomains, and no others', () => {
    fc.assert(
      fc.property(domain, label, (name, extra) => {
        expect(isExempt(name, name, 443)).toBe(true);
        expect(isExempt(name, `${extra}.${name}`, 443)).toBe(true);
        expect(isExempt(name, `${extra}${name}`, 443)).toBe(false);
        expect(isExempt(`.${name}`, name, 443)).toBe(false);
      }),
    );
  });

  it('exempts an address by any range that holds it', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (ip, bits) => isExempt(`${ip}/${bits}`, ip, 443)),
    );
    fc.assert(fc.property(fc.ipV4(), fc.ipV4(), (one, other) => isExempt(one, other, 443) === (one === other)));
  });
});

describe('the proxy of the environment', () => {
  const server = new URL('https://hub.example:6443');
  it.each<[string, Record<string, string>, URL, string | undefined]>([
    ['HTTPS_PROXY for https', { HTTPS_PROXY: 'http://p', HTTP_PROXY: 'http://q' }, server, 'http://p'],
    ['https_proxy in lower case', { https_proxy: 'http://p' }, server, 'http://p'],
    ['the upper case of both', { HTTPS_PROXY: 'http://p', https_proxy: 'http://q' }, server, 'http://p'],
    [
      'HTTP_PROXY for http',
      { HTTPS_PROXY: 'http://p', HTTP_PROXY: 'http://q' },
      new URL('http://hub.example'),
      'http://q',
    ],
    ['none for https without HTTPS_PROXY', { HTTP_PROXY: 'http://q' }, server, undefined],
    ['none for an exempt server', { HTTPS_PROXY: 'http://p', NO_PROXY: 'example' }, server, undefined],
    ['none for an exempt port', { HTTPS_PROXY: 'http://p', no_proxy: 'hub.example:6443' }, server, undefined],
    ['none for localhost', { HTTPS_PROXY: 'http://p' }, new URL('https://localhost:6443'), undefined],
    ['none for 127.0.0.2', { HTTPS_PROXY: 'http://p' }, new URL('https://127.0.0.2'), undefined],
    ['none for ::1', { HTTPS_PROXY: 'http://p' }, new URL('https://[::1]:6443'), undefined],
  ])('is %s', (_what, env, url, proxy) => {
    expect(proxyFromEnvironment(env, url)).toBe(proxy);
  });
});

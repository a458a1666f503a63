import { describe, expect, it } from 'vitest';
import { endpointAddress, urlHost } from './endpoint-address.ts';

const read = (addonEndpointListen: string, addonEndpointAddress = '') =>
  endpointAddress({ addonEndpointListen, addonEndpointAddress });

describe('where add-ons reach the agent', () => {
  it('is loopback, at any port', () => {
    const names = ['127.0.0.1', 'localhost'];
    expect(read('127.0.0.1:0')).toEqual({ host: '127.0.0.1', port: 0, advertised: undefined, names });
  });

  it('may be a Service, whose name is then in the certificate', () => {
    const advertised = 'agent.ns.svc:9443';
    expect(read(':9443', advertised)).toEqual({ host: '0.0.0.0', port: 9443, advertised, names: ['agent.ns.svc'] });
  });

  it.each([
    ['all interfaces without an address', ':9443', '', /needs --addon-endpoint-address/],
    ['nowhere', '0', '', /--addon-endpoint-listen="0" is not an address/],
    ['something else', 'here', '', /not an address to listen at/],
    ['an address without a port', ':9443', 'agent.ns.svc', /not an address/],
    ['an address without a host', ':9443', ':9443', /--addon-endpoint-address=":9443" is not host:port/],
  ])('is refused if it is %s', (_, listen, address, message) => {
    expect(() => read(listen, address)).toThrow(message);
  });

  it('is written into a URL', () => {
    expect([urlHost('::1'), urlHost('127.0.0.1')]).toEqual(['[::1]', '127.0.0.1']);
  });
});

import { Type } from 'typebox'

export const httpSettings = {
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the API.',
  }),
  MANAGEMENT_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65_535,
    description:
      'Own port of the management API, which is then on no other; 0: the API port, host names ' +
      '`apimgmt.*` only.',
  }),
  MANAGEMENT_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address that this port listens on.',
  }),
  OPERATIONS_PORT: Type.Integer({
    default: 9464,
    minimum: 0,
    maximum: 65_535,
    description:
      'Port of `/healthz`, `/readyz` and `/metrics` of a process, whatever parts it runs; they are on ' +
      'no other. Processes on one machine need one each; 0: any free port, which the log names.',
  }),
  OPERATIONS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address that this port listens on.',
  }),
  DOCS: Type.Unsafe<'on' | 'off'>({
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description: 'Whether `/docs` and `/openapi.json` are answered.',
  }),
  HSTS_SECONDS: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      'How long browsers are told to use TLS only (`Strict-Transport-Security`), where a proxy has ' +
      'a certificate; 0: they are not.',
  }),
  TRUST_PROXY: Type.String({
    default: '',
    description:
      'Proxies whose `X-Forwarded-For` is believed: their addresses, as in `10.0.0.0/8,fd00::5`, or ' +
      'how many there are one behind the other. Empty: none, and the client is who connects.',
  }),
  AUTH_REFUSALS_PER_MINUTE: Type.Integer({
    default: 300,
    minimum: 0,
    description:
      'Wrong keys, tokens and calls without the right to them from one client address (IPv6: a /64); ' +
      'beyond that it is answered 429, except to keys and tokens that were good from there in the ' +
      'last 10 minutes. 0: no limit.',
  }),
}

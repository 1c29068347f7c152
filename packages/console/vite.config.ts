import { defineConfig } from 'vite'

const api = process.env.CHORALE_URL ?? 'http://127.0.0.1:3000'

// Management calls are told apart by host name, which a page cannot set: the proxy does.
export default defineConfig({
  server: {
    proxy: {
      '/v3': api,
      '/management': {
        target: api,
        headers: { host: 'apimgmt.localhost' },
        rewrite: (path) => path.replace(/^\/management/, ''),
      },
    },
  },
})

import { defineConfig } from 'vite'

const api = process.env.CHORALE_URL ?? 'http://localhost:3000'

/** While one develops: `npm run dev`, beside a service whose `CONSOLE_URL` is http://localhost:5173. */
export default defineConfig({
  base: '/console/',
  server: { proxy: { '/console/api': api, '^/console/sign-in(/.+|$)': api } },
})

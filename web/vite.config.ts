import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// LADE_URL: the running `lade serve` that `npm run dev` passes calls on to.
const server = process.env.LADE_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    outDir: 'dist',
    target: 'es2023',
    manifest: true,
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: Number(process.env.PORT ?? 5173),
    proxy: Object.fromEntries(
      ['/api', '/openapi.json', '/health', '/ready'].map((path) => [
        path,
        // The server compares Origin with the address that it is asked at.
        { target: server, changeOrigin: true, headers: { origin: server } },
      ]),
    ),
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});

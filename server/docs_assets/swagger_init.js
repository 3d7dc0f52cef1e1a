// Shows the API's own description in Swagger UI. A file of its own, because the page allows no inline script.
globalThis.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // Both would be looked up on the network.
  validatorUrl: null,
  queryConfigEnabled: false,
});

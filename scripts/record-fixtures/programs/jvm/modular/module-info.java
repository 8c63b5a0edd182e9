module acme.till {
}

use Shop::Missing;
